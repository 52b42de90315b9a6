package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"strings"
	"testing"
	"time"
)

func sample(state string) Data {
	return Data{Room: "main", Title: `Night <of> "Lights" & more`, Message: "Doors at <eight>", State: state, Base: "/.well-known/ropeline/main/",
		Self: "/a?b=1&c=\"><script>alert(1)</script>", Index: 41, Place: 41, X: 7, Ahead: 34, Low: 61, High: 200, Joined: 1234, RatePerSecond: 20,
		OpensAt: time.Unix(1_800_000_100, 0), BeginsAt: time.Unix(1_800_000_050, 0), Now: time.Unix(1_800_000_000, 0), Commit: strings.Repeat("ab", 32), EntropySource: "none"}
}

// W39: one self-contained answer of at most 15 KB, whose policy admits exactly its own two inline parts.
func TestSelfContained(t *testing.T) {
	load := regexp.MustCompile(`(src|href|action)\s*=\s*"([^"]*)"|@import|url\(`)
	for _, lang := range []string{"en", "es", "zh", "bn", "ar"} {
		for _, state := range States {
			d := sample(state)
			d.Language = lang
			b, err := Default().Render(d)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range load.FindAllStringSubmatch(string(b), -1) {
				if m[2] != "data:," && !strings.HasPrefix(m[2], "/.well-known/ropeline/main/") && !strings.HasPrefix(m[2], "/a?") {
					t.Errorf("%s loads %s", state, m[0])
				}
			}
			var z bytes.Buffer
			w, err := gzip.NewWriterLevel(&z, Compression)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = w.Write(b)
			_ = w.Close()
			if z.Len() > 15<<10 {
				t.Errorf("%s, %s: %d bytes compressed", lang, state, z.Len())
			}
			for _, tag := range []string{"script", "style"} {
				m := regexp.MustCompile(`(?s)<`+tag+`>(.*?)</`+tag+`>`).FindAllSubmatch(b, -1)
				if tag == "script" && state == "framed" && len(m) == 0 {
					continue // a way out, and nothing else
				}
				if len(m) != 1 {
					t.Fatalf("%d inline %s parts", len(m), tag)
				}
				sum := sha256.Sum256(m[0][1])
				if !strings.Contains(Default().Policy(), "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
					t.Errorf("the policy does not admit the page's %s", tag)
				}
			}
			if bytes.Contains(b, []byte("style=\"")) || regexp.MustCompile(`(?i)<[^>]+ on[a-z]+=`).Match(b) {
				t.Error("inline style or handler, which the policy refuses")
			}
			if bytes.Contains(b, []byte("http-equiv")) {
				t.Error("a timed refresh would take people's page away while they read")
			}
			if bytes.Contains(b, []byte("<script>alert")) || bytes.Contains(b, []byte("<of>")) || bytes.Contains(b, []byte("<eight>")) {
				t.Errorf("%s: what strangers and operators write is not escaped", state)
			}
			if !bytes.Contains(b, []byte(`<html lang="`+lang+`"`)) {
				t.Error("the language is not declared")
			}
		}
	}
}

// Without script the page says everything it can, and has a button.
func TestWithoutScript(t *testing.T) {
	for state, want := range map[string][]string{
		"waiting":   {">34<", "people ahead of you", "2 to 4 minutes", ">42<", "1,200 a minute", "Check again"},
		"next":      {"It is your turn", "one after the other", `aria-valuenow="100"`},
		"prequeue":  {">01:40<", "until the draw", "place by draw", strings.Repeat("ab", 32), "1,234", "nothing was changed after"},
		"scheduled": {">00:50<", "until the line opens", "by draw"},
		"paused":    {"The line is paused", "Your place is kept"},
		"closed":    {"This waiting room is closed"},
		"fresh":     {"Join the line", "Cookies are needed"},
	} {
		d := sample(state)
		if state == "waiting" {
			d.Low, d.High = 130, 200
		}
		b, err := Default().Render(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !bytes.Contains(b, []byte(w)) {
				t.Errorf("%s: %q is missing", state, w)
			}
		}
	}
	d := sample("prequeue")
	d.EntropySource = "drand quicknet round 7"
	if b, _ := Default().Render(d); !bytes.Contains(b, []byte("nobody could choose the result")) || !bytes.Contains(b, []byte("drand quicknet round 7")) {
		t.Error("the page does not say which of the two statements holds")
	}
}
