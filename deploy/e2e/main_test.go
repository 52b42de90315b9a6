package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/ropeline/ropeline/deploy/stack"
)

// progress is where the stack's progress goes: to the test's own output, which go test shows when it fails.
var progress = stack.Progress{W: os.Stderr}

// built compiles the programs once for all tests of the package.
var built = sync.OnceValues(func() (bin string, err error) {
	root, err := stack.Repository()
	if err != nil {
		return "", err
	}
	bin = filepath.Join(root, ".run", "bin")
	return bin, stack.Build(context.Background(), progress, root, bin, stack.Programs...)
})

func programs(t *testing.T) string {
	t.Helper()
	bin, err := built()
	if err != nil {
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
		Dir: dir, Bin: programs(t), Caddyfile: filepath.Join(root, "deploy", "Caddyfile"),
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
