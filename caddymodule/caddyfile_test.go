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
		"":                          {"name is missing", "waiting_room [matcher] <name>"},
		"Main {\nrate 1/s\n}":       {`"Main"`, "a-z"},
		"main extra {\nrate 1/s\n}": {`"extra"`, "block"},
		"main":                      {"rate is missing", "waiting_room main { rate 20/s }"},
		"main {\ncap 5\n}":          {"rate is missing", "rate 20/s"},
		"main {\nrate 20/s\nreverse_proxy localhost:3000\n}":          {`unknown option "reverse_proxy"`, "end the block with }"},
		"main {\nrate 20/s\n@shop path /shop\n}":                      {`unknown option "@shop"`, "end the block with }"},
		"main {\nrate 20\n}":                                          {`rate "20"`, "20/s"},
		"main {\nrate 20/s\nrate 20/s\n}":                             {"rate is given twice"},
		"main {\nrate 20/s 30/s\n}":                                   {"more than one value"},
		"main {\nrate\n}":                                             {"rate needs a value"},
		"main {\nraet 20/s\n}":                                        {`unknown option "raet"`, "did you mean rate?"},
		"main {\nopens 20/s\n}":                                       {`unknown option "opens"`, "opens_at"},
		"main {\ncapacity 50\n}":                                      {`unknown option "capacity"`, "did you mean cap?"},
		"main {\nstore embedded\n}":                                   {`unknown option "store"`, "global block", "ropeline"},
		"main {\ncolour red\n}":                                       {`unknown option "colour"`, "use one of beside, bind_pass, cap"},
		"main {\nrate 1/s\ncap many\n}":                               {`cap: "many"`, "500"},
		"main {\nrate 1/s\npassthrough yes\n}":                        {`passthrough: "yes"`, "on or off"},
		"main {\nrate 1/s\nfail_open_for 1m\n}":                       {"fail_open_for needs passthrough on"},
		"main {\nrate 1/s\ncap -1\n}":                                 {"cap -1"},
		"main {\nrate 1/s\nstate opne\n}":                             {`state "opne"`, "prequeue"},
		"main {\nrate 1/s\nwait_page yes\n}":                          {`wait_page "yes"`, "write on"},
		"main {\nrate 1/s\npassthrough on\nwait_page on\n}":           {"wait_page needs passthrough off"},
		"main {\nrate 1/s\nidle soon\n}":                              {`idle: "soon"`, "10m"},
		"main {\nrate 1/s\nidle 2h\n}":                                {"hard", "idle"},
		"main {\nrate 1/s\nqueue_status 200\n}":                       {"queue_status 200", "503"},
		"main {\nrate 1/s\nqueue_status 418\n}":                       {"queue_status 418", "429"},
		"main {\nrate 1/s\nopens_at noon\nstate prequeue\n}":          {`opens_at "noon"`, "2026-11-30T20:00:00Z"},
		"main {\nrate 1/s\nopens_at 2026-11-30T20:00:00Z\n}":          {"opens_at needs state prequeue"},
		"main {\nrate 1/s\nopens_at 2026-11-30 20:00:00Z\n}":          {"opens_at: write T between day and time: 2026-11-30T20:00:00Z"},
		"main {\nrate 1/s\ncloses_at \"2026-11-30 20:00:00Z\"\n}":     {"closes_at", "write T between day and time: 2026-11-30T20:00:00Z"},
		"main {\nrate 1/s\nreload_spread 100ms\n}":                    {"reload_spread 100ms", "1s to 10m"},
		"main {\nrate 1/s\nsign_in /\n}":                              {`sign_in "/"`, "home page"},
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
		"{\nrate 20/s\n}":      "block of a room, waiting_room",
		"embedded":             "block",
		"{\nkeys\n}":           "keys needs a value",
	} {
		if _, err := adapt("{\nropeline " + in + "\n}\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ropeline %q: %v", in, err)
		}
	}
}

// Two blocks of one room that differ are told in what.
func TestARoomSetUpTwice(t *testing.T) {
	err := provisionOnly("{\nadmin off\n}\nhttp://a.test {\nwaiting_room main {\nrate 20/s\nidle 5m\n}\n}\nhttp://b.test {\nwaiting_room main {\nrate 30/s\ncap 7\n}\n}")
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range [][2]string{{"rate 20/s and 30/s", "rate 30/s and 20/s"}, {"cap none and 7", "cap 7 and none"}, {"idle 5m0s and none", "idle none and 5m0s"}} {
		if !strings.Contains(err.Error(), want[0]) && !strings.Contains(err.Error(), want[1]) {
			t.Errorf("%s: %v", want[0], err)
		}
	}
}

// An error about options that do not go together names the line of the one it speaks of, not the block's end.
func TestCaddyfileErrorsNameTheLine(t *testing.T) {
	for in, line := range map[string]string{
		"rate 1/s\nopens_at 2026-11-30T20:00:00Z\ncap 5\nidle 5m":       ":4",
		"rate 1/s\ncap 5\nidle 2h\ntitle x\nmessage y":                  ":5",
		"cap 5\nhard 1m\nidle 5m\nrate 1/s\ntitle x":                    ":4",
		"rate 20\ncap 5\ntitle x":                                       ":3",
		"cap 5\nrate 1/s\nstate opne\ntitle x":                          ":5",
		"rate 1/s\ncors app.example.com\ntitle x":                       ":4",
		"rate 1/s\ncookie_domain .example.com\ntitle x":                 ":4",
		"rate 1/s\ntitle x\nbeside images\nmessage y":                   ":5",
		"title x\nmessage y":                                            ":2",
		"rate 1/s\nbind_pass no\ntitle x\nmessage y":                    ":4",
		"rate 1/s\ncrawlers 0.0.0.0/0\ntitle x\nmessage y":              ":4",
		"rate 1/s\ncloses_at 2026-01-01T00:00:00\ntitle x\nmessage y\n": ":4",
	} {
		_, err := adapt("http:// {\nwaiting_room main {\n" + in + "\n}\n}")
		if err == nil || !strings.HasSuffix(err.Error(), "Caddyfile"+line) {
			t.Errorf("%q: want line %s: %v", in, line, err)
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
