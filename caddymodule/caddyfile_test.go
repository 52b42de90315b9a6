package caddymodule

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Golden files: a Caddyfile, a line of dashes, and the JSON it stands for.
func TestAdapt(t *testing.T) {
	files, err := filepath.Glob("testdata/adapt/*.caddyfiletest")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		in, want, ok := strings.Cut(string(b), "\n----------\n")
		if !ok && !*update {
			t.Fatalf("%s: no line of dashes", name)
		}
		raw, err := adapt(in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, raw, "", "\t"); err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(name, []byte(in+"\n----------\n"+pretty.String()+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if strings.TrimSpace(want) != pretty.String() {
			t.Errorf("%s:\n%s", name, pretty.String())
		}
	}
}

// Every error is one line that names the option and the cure.
func TestCaddyfileErrors(t *testing.T) {
	for in, want := range map[string][]string{
		"":                                                            {"name is missing", "waiting_room [matcher] <name>"},
		"Main {\nrate 1/s\n}":                                         {`"Main"`, "a-z"},
		"main extra {\nrate 1/s\n}":                                   {`"extra"`, "block"},
		"main":                                                        {"rate is missing", "rate 20/s"},
		"main {\nrate 20\n}":                                          {`rate "20"`, "20/s"},
		"main {\nrate 20/s\nrate 20/s\n}":                             {"rate is given twice"},
		"main {\nrate 20/s 30/s\n}":                                   {"more than one value"},
		"main {\nrate\n}":                                             {"rate needs a value"},
		"main {\nraet 20/s\n}":                                        {`unknown option "raet"`, "did you mean rate?"},
		"main {\nopens 20/s\n}":                                       {`unknown option "opens"`, "opens_at"},
		"main {\ncolour red\n}":                                       {`unknown option "colour"`, "use one of beside, cap, captcha"},
		"main {\nrate 1/s\ncap many\n}":                               {`cap: "many"`, "500"},
		"main {\nrate 1/s\npassthrough yes\n}":                        {`passthrough: "yes"`, "on or off"},
		"main {\nrate 1/s\nfail_open_for 1m\n}":                       {"fail_open_for needs passthrough on"},
		"main {\nrate 1/s\ncap -1\n}":                                 {"cap -1"},
		"main {\nrate 1/s\nstate opne\n}":                             {`state "opne"`, "prequeue"},
		"main {\nrate 1/s\nidle soon\n}":                              {`idle: "soon"`, "10m"},
		"main {\nrate 1/s\nidle 2h\n}":                                {"hard", "idle"},
		"main {\nrate 1/s\nqueue_status 200\n}":                       {"queue_status 200", "503"},
		"main {\nrate 1/s\nqueue_status 418\n}":                       {"queue_status 418", "429"},
		"main {\nrate 1/s\nopens_at noon\nstate prequeue\n}":          {`opens_at "noon"`, "2026-11-30T20:00:00Z"},
		"main {\nrate 1/s\nopens_at 2026-11-30T20:00:00Z\n}":          {"opens_at needs state prequeue"},
		"main {\nrate 1/s\ntitle " + strings.Repeat("x", 200) + "\n}": {"title", "120"},
	} {
		_, err := adapt("http:// {\nwaiting_room " + in + "\n}")
		if err == nil {
			t.Errorf("%q was accepted", in)
			continue
		}
		for _, w := range append(want, "waiting_room", "Caddyfile:") {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%q: %q is not in: %v", in, w, err)
			}
		}
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: more than one line: %v", in, err)
		}
	}
	for in, want := range map[string]string{
		"{\nstroe embedded\n}": "did you mean store?",
		"embedded":             "block",
		"{\nkeys\n}":           "keys needs a value",
	} {
		if _, err := adapt("{\nropeline " + in + "\n}\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ropeline %q: %v", in, err)
		}
	}
}

func provisionOnly(text string) error {
	raw, err := adapt(text)
	if err != nil {
		return err
	}
	var cfg caddy.Config
	if err := caddy.StrictUnmarshalJSON(raw, &cfg); err != nil {
		return err
	}
	return caddy.Validate(&cfg)
}
