package debian

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFindPrefersTheNewestVersion(t *testing.T) {
	dir := t.TempDir()
	for _, version := range []string{"9", "15", "16"} {
		bin := filepath.Join(dir, version, "bin")
		if err := os.MkdirAll(bin, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(bin, "no-such-program-elsewhere"), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p := Part{Program: "no-such-program-elsewhere", Dirs: []string{filepath.Join(dir, "*", "bin")}}
	if got, want := p.Find(), filepath.Join(dir, "16", "bin", p.Program); got != want {
		t.Errorf("found %q, want %q", got, want)
	}
	if err := os.Chmod(filepath.Join(dir, "16", "bin", p.Program), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, want := p.Find(), filepath.Join(dir, "15", "bin", p.Program); got != want {
		t.Errorf("found %q although it cannot be run, want %q", got, want)
	}
}

func TestMissingAndAdvice(t *testing.T) {
	here := Part{Name: "go", Program: "go", Package: "golang"}
	gone := Part{Name: "gone", Program: "no-such-program-elsewhere", Package: "gone-package", Elsewhere: "Gone 3"}
	missing := Missing([]Part{here, gone})
	if len(missing) != 1 || missing[0].Name != "gone" {
		t.Fatalf("missing = %v, want only gone", missing)
	}
	advice := Advice(missing)
	for _, want := range []string{"Gone 3", "apt-get install gone-package"} {
		if !strings.Contains(advice, want) {
			t.Errorf("advice %q does not say %q", advice, want)
		}
	}
	if strings.Contains(advice, "\n") {
		t.Errorf("advice is more than one line: %q", advice)
	}
}

func TestByNameRefusesUnknownParts(t *testing.T) {
	if _, err := ByName("postgresql", "oracle"); err == nil || !strings.Contains(err.Error(), `"oracle"`) {
		t.Errorf("err = %v, want one that names oracle", err)
	}
	parts, err := ByName("redis", "postgresql")
	if err != nil || len(parts) != 2 || parts[0].Name != "redis" {
		t.Errorf("ByName = %v, %v", parts, err)
	}
}
