package caddymodule

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
)

func TestAGrantLogMakesItsDirectory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log", "ropeline", "grants.jsonl")
	f, err := openGrants(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := openGrants(filepath.Join(path, "below-a-file", "grants.jsonl")); err == nil || !strings.Contains(err.Error(), "name a file that this user may write") {
		t.Errorf("%v: no cure", err)
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
