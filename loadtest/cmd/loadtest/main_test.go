package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ropeline/ropeline/loadtest/buyer"
	"github.com/ropeline/ropeline/loadtest/check"
	"github.com/ropeline/ropeline/loadtest/history"
)

func TestRefusalsNameTheFlagAndTheCure(t *testing.T) {
	t.Chdir(t.TempDir())
	for command, want := range map[string]string{
		"sell":                                  `no command "sell"; there are sale, record, check, smoke, ladder, report, replay and what-if`,
		"sale extra":                            `no argument "extra"`,
		"sale":                                  "--event is missing",
		"sale --event e --record 127.0.0.1:0":   "--record and --origin go together",
		"sale --event e --buyers 0":             "--buyers 0",
		"sale --event e --edge http://[::1]:1":  "is the edge up",
		"record":                                "--to is missing",
		"record --to localhost":                 "http://127.0.0.1:9000",
		"check":                                 "--database is missing",
		"check --only Z9":                       "no invariant",
		"check --only T1":                       "--record: ",
		"check --only Q3 --grant-log gone":      "gone: no such file",
		"check --only I1 --history gone":        "--history: ",
		"ladder":                                `origin ""`,
		"ladder --origin http://x --header x":   "--header \"x\"",
		"ladder --origin http://x --page x":     "--page \"x\"",
		"ladder --visit gone":                   "--visit: open gone",
		"smoke --event e":                       "smoke needs all evidence",
		"sale --event e --database nonsense:/!": "--database: ",
	} {
		err := run(t.Context(), strings.Fields(command))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("loadtest %s: %v, want %q", command, err, want)
		}
	}
}

func TestCheckFindsAndSaysSo(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(lines ...string) {
		if err := os.WriteFile("grants", []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w, err := history.Create("h")
	if err != nil {
		t.Fatal(err)
	}
	w.Begin(1, "knock", nil).End(history.OK, history.Answer{Status: 200})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	door := `{"seq":2,"room":"r","epoch":1,"event":"door","vid":"a","place":0}`
	x := `{"seq":1,"room":"r","epoch":1,"event":"x","x":5}`
	write(x, door, `{"seq":3,"room":"r","epoch":1,"event":"grant","vid":"a","place":0,"entry_ms":1}`)
	args := strings.Fields("check --room r --only Q3 --grant-log grants --history h --json")
	if err := run(t.Context(), args); err != nil {
		t.Errorf("a clean log: %v", err)
	}
	write(x, door, `{"seq":3,"room":"r","epoch":1,"event":"grant","vid":"b","place":1,"entry_ms":1}`)
	if err := run(t.Context(), args); err != errFound {
		t.Errorf("a log out of order: %v, want %v", err, errFound)
	}
	if err := run(t.Context(), args[:len(args)-1]); err != errFound {
		t.Errorf("the same for people: %v, want %v", err, errFound)
	}
}

func TestKeysComeFromTheHistoryUnlessGiven(t *testing.T) {
	set := json.RawMessage(`{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`)
	path := filepath.Join(t.TempDir(), "h")
	w, err := history.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w.Begin(0, buyer.KeysOp, nil).End(history.OK, set)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "jwks.json")
	if err := os.WriteFile(file, set, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, o := range []checkOptions{{history: path}, {jwks: file}} {
		if keys, err := o.keys(t.Context(), nil); err != nil || len(keys["k"]) != 32 {
			t.Errorf("%+v: %v, %v", o, keys, err)
		}
	}
	none := filepath.Join(t.TempDir(), "none")
	if w, err = history.Create(none); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := (&checkOptions{history: none}).keys(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "jwks.json") {
		t.Errorf("no keys anywhere: %v", err)
	}
}

func TestLoadtestWithoutDatabaseCollectsWhatItNeeds(t *testing.T) {
	o := checkOptions{settle: time.Second, history: filepath.Join(t.TempDir(), "gone")}
	list, err := check.Select("I1")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := o.collect(t.Context(), list); err == nil || strings.Contains(err.Error(), "--database") {
		t.Errorf("%v: I1 needs the history alone", err)
	}
}

// T1 looks for requests that should have carried a pass; it must draw the line where the Caddyfile does. The card form is the
// provider's and never comes to the origin.
func TestTheGateIsWhereTheCaddyfileHasIt(t *testing.T) {
	text, err := os.ReadFile("../../../deploy/Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "@gated not path ")
	gate, _, _ := strings.Cut(rest, "\n")
	paths := slices.DeleteFunc(strings.Fields(gate), func(p string) bool { return p == "/fakepay/*" })
	if !found || strings.Join(paths, ",") != ungated {
		t.Errorf("the Caddyfile leaves outside\n%s\nand T1\n%s", strings.Join(paths, ","), ungated)
	}
}
