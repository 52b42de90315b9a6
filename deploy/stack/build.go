package stack

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Programs are the commands of the repository that a stack is made of.
var Programs = []string{"./caddymodule/cmd/ropeline", "./core/cmd/bookingd", "./core/cmd/fakepay", "./loadtest/cmd/loadtest"}

// buildEvery is how often a build says how far it is: the first one compiles some 900 packages and takes minutes.
const buildEvery = 5 * time.Second

// Build compiles the programs of the repository at root into bin. `go build` knows best whether there is anything to do,
// so it always runs; a second time it takes a second.
func Build(ctx context.Context, p Progress, root, bin string, programs ...string) error {
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return fmt.Errorf("build: %w", err)
	}
	return p.Step("programs", func() (string, error) {
		args := append([]string{"build", "-v", "-buildvcs=false", "-o", bin + string(filepath.Separator)}, programs...)
		cmd := exec.CommandContext(ctx, "go", args...)
		cmd.Dir = root
		out, err := cmd.StderrPipe()
		if err != nil {
			return "", err
		}
		if err := cmd.Start(); err != nil {
			return "", fmt.Errorf("build: %w: is Go in PATH?", err)
		}
		var downloaded, compiled int
		var complaints []string
		said := time.Now()
		for s := bufio.NewScanner(out); s.Scan(); {
			switch line := s.Text(); {
			case strings.HasPrefix(line, "go: downloading"):
				downloaded++
			case isPackage(line):
				compiled++
			default:
				complaints = append(complaints, line)
			}
			if time.Since(said) > buildEvery {
				said = time.Now()
				fmt.Fprintf(p.W, "\n    %d modules fetched, %d packages compiled ", downloaded, compiled)
			}
		}
		if err := cmd.Wait(); err != nil {
			return "", fmt.Errorf("build: %w\n%s", err, strings.Join(complaints, "\n"))
		}
		return "built", nil
	})
}

// isPackage tells the import paths that -v prints from the compiler's complaints.
func isPackage(line string) bool { return line != "" && !strings.ContainsAny(line, " \t:#") }
