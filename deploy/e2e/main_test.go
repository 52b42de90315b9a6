package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/ropeline/ropeline/deploy/stack"
)

// progress is where the stack's progress goes: to the test's own output, which go test shows when it fails.
var progress = stack.Progress{W: os.Stderr}

// building keeps tests that run in parallel from building at the same time.
var building sync.Mutex

// programs builds the commands and returns the directory they are in.
func programs(t *testing.T, commands ...string) (bin string) {
	t.Helper()
	building.Lock()
	defer building.Unlock()
	root := repository(t)
	bin = filepath.Join(root, ".run", "bin")
	if err := stack.Build(t.Context(), progress, root, bin, commands...); err != nil {
		t.Fatal(err)
	}
	return bin
}

func repository(t *testing.T) string {
	t.Helper()
	root, err := stack.Repository()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// up starts a stack for this test alone and stops it afterwards; what does not stop in order fails the test.
func up(t *testing.T, change func(*stack.Config)) *stack.Stack {
	t.Helper()
	root := repository(t)
	// Not t.TempDir: its path is too long for PostgreSQL's socket, and its parent is closed to PostgreSQL's user.
	dir, err := os.MkdirTemp("", "ropeline-e2e-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	cfg := stack.Config{
		Dir: dir, Bin: programs(t, stack.Programs...), Caddyfile: filepath.Join(root, "deploy", "Caddyfile"),
		Throwaway: true, Progress: progress,
	}
	change(&cfg)
	s, err := stack.Up(t.Context(), cfg)
	if err != nil {
		t.Fatalf("%v\n(logs are kept in %s)", err, dir)
	}
	t.Cleanup(func() {
		if err := s.Down(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("logs and data are kept in %s", dir)
			return
		}
		if err := stack.Forget(dir); err != nil {
			t.Error(err)
		}
	})
	return s
}

func url(port int, path string) string { return fmt.Sprintf("http://127.0.0.1:%d%s", port, path) }
