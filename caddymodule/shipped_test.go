package caddymodule

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
)

// The configuration of deploy/edge loads as it is, its manual's JSON is what a handler reads, and every option of the
// Caddyfile is in the reference.
func TestTheShippedConfiguration(t *testing.T) {
	text, err := os.ReadFile("../deploy/edge/Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := admissionKeys(filepath.Join(dir, "lib", "keys")); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(dir, "origin.secret")
	if err := os.WriteFile(secret, []byte("0123456789abcdef0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	here := strings.NewReplacer("/etc/ropeline/origin.secret", secret, "/var/lib/ropeline", filepath.Join(dir, "lib"), "/var/log/ropeline", dir, "unix//run/ropeline/admin.sock", "off").Replace(string(text))
	if err := provisionOnly(here); err != nil {
		t.Error(err)
	}
	manual, err := os.ReadFile("../deploy/edge/README.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```json\n(.*?)```").FindSubmatch(manual)
	if block == nil {
		t.Fatal("the manual shows no JSON")
	}
	var h Handler
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(block[1], &raw); err != nil {
		t.Fatal(err)
	}
	delete(raw, "handler")
	b, _ := json.Marshal(raw)
	if err := caddy.StrictUnmarshalJSON(b, &h); err != nil || h.validate() != nil || checkName(h.Room) != nil {
		t.Errorf("the manual's JSON: %v %v", err, h.validate())
	}
	reference, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range roomOptions {
		if !strings.Contains(string(reference), "`"+name+"`") {
			t.Errorf("the reference does not have the option %s", name)
		}
	}
	for name := range globalOptions {
		if !strings.Contains(string(reference), "`"+name+"`") {
			t.Errorf("the reference does not have the global option %s", name)
		}
	}
}
