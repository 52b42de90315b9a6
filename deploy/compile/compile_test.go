package compile

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// module makes a repository of one program.
func module(t *testing.T, program string) (root string) {
	t.Helper()
	root = t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.org/m\n\ngo 1.21\n", "hello/main.go": program} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestAProgramIsBuilt(t *testing.T) {
	root := module(t, "package main\n\nfunc main() {}\n")
	var out bytes.Buffer
	if err := Build(t.Context(), &out, root, filepath.Join(root, "bin"), "./hello"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "bin", "hello")); err != nil || !strings.Contains(out.String(), "programs") {
		t.Errorf("%v, and it says %q", err, out.String())
	}
}

func TestTheCompilersComplaintIsTheError(t *testing.T) {
	root := module(t, "package main\n\nfunc main() { nowhere() }\n")
	var out bytes.Buffer
	err := Build(t.Context(), &out, root, filepath.Join(root, "bin"), "./hello")
	if err == nil || !strings.Contains(err.Error(), "undefined: nowhere") || !strings.Contains(out.String(), "failed") {
		t.Errorf("%v, and it says %q", err, out.String())
	}
}

func TestALongBuildIsWarnedOfOnceAndHasATotal(t *testing.T) {
	var out bytes.Buffer
	m := newMeter(&out)
	m.total = 400
	for range 200 {
		m.line("example.org/p")
	}
	m.said = time.Time{}
	m.line("example.org/p")
	if n := strings.Count(out.String(), "first build"); n != 1 || !strings.Contains(out.String(), "201 of at most 400 packages (50 %)") {
		t.Errorf("%d warnings in %q", n, out.String())
	}
	if m.line("./main.go:3:1: undefined: x") {
		t.Error("a complaint is taken for progress")
	}
}
