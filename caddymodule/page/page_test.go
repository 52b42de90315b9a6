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

var states = []string{"waiting", "next", "scheduled", "prequeue", "drawing", "paused", "closed", "limited", "retry", "fresh"}

// W39: one self-contained answer of at most 15 KB, whose policy admits exactly its own two inline parts.
func TestSelfContained(t *testing.T) {
	load := regexp.MustCompile(`(?i)(src|href|action)\s*=\s*"([^"]*)"|@import|url\(`)
	for _, lang := range []string{"en", "es"} {
		for _, state := range states {
			d := sample(state)
			d.Language = lang
			b, err := Render(d)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range load.FindAllStringSubmatch(string(b), -1) {
				if m[2] != "data:," && !strings.HasPrefix(m[2], "/.well-known/ropeline/main/") && !strings.HasPrefix(m[2], "/a?") {
					t.Errorf("%s loads %s", state, m[0])
				}
			}
			var z bytes.Buffer
			w := gzip.NewWriter(&z)
			_, _ = w.Write(b)
			_ = w.Close()
			if z.Len() > 15<<10 {
				t.Errorf("%s: %d bytes compressed", state, z.Len())
			}
			for _, tag := range []string{"script", "style"} {
				m := regexp.MustCompile(`(?s)<`+tag+`>(.*?)</`+tag+`>`).FindAllSubmatch(b, -1)
				if len(m) != 1 {
					t.Fatalf("%d inline %s parts", len(m), tag)
				}
				sum := sha256.Sum256(m[0][1])
				if !strings.Contains(Policy, tag+"-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
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
			if !bytes.Contains(b, []byte(`<html lang="`+lang+`">`)) {
				t.Error("the language is not declared")
			}
		}
	}
}

// Without script the page says everything it can, and has a button.
func TestWithoutScript(t *testing.T) {
	for state, want := range map[string][]string{
		"waiting":   {">34<", "people ahead of you", "2 to 4 minutes", ">42<", "counted from the first", "1,200 a minute", "Check again"},
		"next":      {"You are at the door", "one after the other", `aria-valuenow="100"`},
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
		b, err := Render(d)
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
	if b, _ := Render(d); !bytes.Contains(b, []byte("nobody could choose the result")) || !bytes.Contains(b, []byte("drand quicknet round 7")) {
		t.Error("the page does not say which of the two statements holds")
	}
}

// Every language has every text, with the same holes.
func TestTexts(t *testing.T) {
	hole := regexp.MustCompile(`\{\w\}`)
	for lang, table := range texts {
		for key, text := range texts[fallback] {
			if strings.Join(hole.FindAllString(table[key], -1), "") != strings.Join(hole.FindAllString(text, -1), "") || table[key] == "" {
				t.Errorf("%s %s: %q", lang, key, table[key])
			}
		}
		if len(table) != len(texts[fallback]) {
			t.Errorf("%s has %d texts, %s %d", lang, len(table), fallback, len(texts[fallback]))
		}
	}
	for accept, want := range map[string]string{"": "en", "es-MX,en;q=0.5": "es", "en;q=0.5,es;q=0.4": "en", "fr, es;q=0.1": "es", "es;q=0": "en", ";;q=,": "en"} {
		if got := pick(accept); got != want {
			t.Errorf("%q: %s, want %s", accept, got, want)
		}
	}
}

func TestSpans(t *testing.T) {
	for _, c := range []struct {
		low, high int64
		want      string
	}{
		{0, 5, "Less than a minute"}, {0, 61, "Up to 2 minutes"}, {70, 100, "1 to 2 minutes"}, {600, 601, "10 to 11 minutes"}, {120, 120, "About 2 minutes"},
		{5000, 9000, "1 to 3 hours"}, {-1, -1, "Nobody can say at the moment"}, {30, -1, "Nobody can say at the moment"}, {300, -1, "At least 5 minutes"},
	} {
		if got := span(texts["en"], "en", c.low, c.high); got != c.want {
			t.Errorf("%d to %d: %q, want %q", c.low, c.high, got, c.want)
		}
	}
	if number(1234567, "en") != "1,234,567" || number(1234, "es") != "1234" || number(12345, "es") != "12.345" || number(7, "en") != "7" {
		t.Error("numbers")
	}
	if countdown(3*time.Hour+5*time.Second) != "3:00:05" || countdown(-time.Second) != "00:00" || countdown(61*time.Second+time.Millisecond) != "01:02" {
		t.Error("countdown")
	}
}
