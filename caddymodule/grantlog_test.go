package caddymodule

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
)

// A directory that is not there is named with the cure, by `validate` too, and nothing is made: it may be a slip of the pen.
func TestAGrantLogNeedsItsDirectory(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "lgo", "grants.jsonl")
	for who, err := range map[string]error{
		"validate": provisionOnly("{\nadmin off\n}\nhttp:// {\nwaiting_room main {\nrate 1/s\ngrant_log " + path + "\n}\n}"),
		"run":      func() error { _, err := openGrants(path); return err }(),
	} {
		if err == nil || !strings.Contains(err.Error(), "there is no directory "+filepath.Dir(path)) || !strings.Contains(err.Error(), "install -d") {
			t.Errorf("%s: %v", who, err)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("made %v", left)
	}
	f, err := openGrants(filepath.Join(dir, "grants.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := openGrants(filepath.Join(dir, "grants.jsonl", "grants.jsonl")); err == nil || !strings.Contains(err.Error(), "is not a directory") {
		t.Errorf("%v: no cure", err)
	}
}

// What `run` refuses for want of a file, `validate` refuses in the same words.
func TestValidateMissesTheFilesThatRunMisses(t *testing.T) {
	dir := t.TempDir()
	short := filepath.Join(dir, "short")
	if err := os.WriteFile(short, []byte("123\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := newEdge(t, roomWith("rate 1/s"), "")
	for _, c := range []struct{ option, want string }{
		{"origin_secret " + dir + "/none", "openssl rand -hex 32 > " + dir + "/none"},
		{"origin_secret " + short, "origin_secret " + short},
		{"crawlers " + dir + "/none.json", "crawlers " + dir + "/none.json"},
		{"crawlers " + short, "crawlers " + short},
	} {
		room := roomWith("rate 1/s", c.option)
		run, validate := e.load(room), provisionOnly(e.config(room))
		if run == nil || validate == nil || !strings.Contains(validate.Error(), c.want) || !strings.Contains(run.Error(), validate.Error()[strings.Index(validate.Error(), "waiting_room main"):]) {
			t.Errorf("%s\nrun:      %v\nvalidate: %v", c.option, run, validate)
		}
	}
}

// A start that the disk refuses leaves no keys behind: the next one might run as another user, and could not read them.
func TestAFailedStartMakesNoKeys(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	app := &App{Keys: filepath.Join(dir, "keys"), claims: map[string]*claim{"main": {conf: RoomConfig{GrantLog: filepath.Join(file, "grants.jsonl")}}}}
	if err := app.Start(); err == nil || !strings.Contains(err.Error(), "grant_log") {
		t.Errorf("started, or failed otherwise: %v", err)
	}
	if _, err := os.Stat(app.Keys); !os.IsNotExist(err) {
		t.Errorf("keys lie in %s after a failed start: %v", app.Keys, err)
	}
}

// The files to copy load as they are.
func TestTheFilesToCopyAreValid(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	t.Setenv("ROPELINE_GRANT_LOG", filepath.Join(t.TempDir(), "grants.jsonl"))
	for _, name := range []string{"Caddyfile", "Caddyfile.simple"} {
		text, err := os.ReadFile(filepath.Join("..", "deploy", name))
		if err != nil {
			t.Fatal(err)
		}
		conf, warnings, err := caddyconfig.GetAdapter("caddyfile").Adapt(text, map[string]any{"filename": name})
		if err != nil || len(warnings) > 0 {
			t.Errorf("%s: %v, %v", name, err, warnings)
			continue
		}
		var c caddy.Config
		if err := caddy.StrictUnmarshalJSON(conf, &c); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := caddy.Validate(&c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
