package compile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Build compiles the programs of the repository at root into bin and tells w about it. `go build` knows best whether there is
// anything to do, so it always runs; a second time it takes a second.
func Build(ctx context.Context, w io.Writer, root, bin string, programs ...string) error {
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return fmt.Errorf("build: %w", err)
	}
	m := newMeter(w)
	total, err := packages(ctx, m, root, programs)
	if err == nil {
		m.total = total
		args := append([]string{"build", "-v", "-buildvcs=false", "-o", bin + string(filepath.Separator)}, programs...)
		err = goTool(ctx, root, args, func(string) {}, m.line)
	}
	m.done(err)
	return err
}

// packages counts what the programs are made of. It also fetches the modules, which is why it shows progress.
func packages(ctx context.Context, m *meter, root string, programs []string) (n int, err error) {
	err = goTool(ctx, root, append([]string{"list", "-deps"}, programs...), func(string) { n++ }, m.line)
	return n, err
}

// goTool runs the go command. said gets each line of its output; what note does not know of its progress are complaints, and
// become the error if it fails.
func goTool(ctx context.Context, root string, args []string, said func(string), note func(string) bool) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	if chain := toolchain(root); chain != "" && os.Getenv("GOTOOLCHAIN") == "" {
		// Stronger than `go env -w GOTOOLCHAIN=local`, with which go.mod's word is ignored in silence.
		cmd.Env = append(os.Environ(), "GOTOOLCHAIN="+chain+"+auto")
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	progress, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("build: %w: is Go in PATH?", err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for s := bufio.NewScanner(out); s.Scan(); {
			said(s.Text())
		}
	}()
	var complaints []string
	for s := bufio.NewScanner(progress); s.Scan(); {
		if !note(s.Text()) {
			complaints = append(complaints, s.Text())
		}
	}
	<-read
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("build: %w", errors.Join(err, errors.New(strings.Join(complaints, "\n"))))
	}
	return nil
}

// toolchain is the one that go.mod names, "" when it names none.
func toolchain(root string) string {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "toolchain "); ok {
			return strings.TrimSpace(name)
		}
	}
	return ""
}

const (
	// screenEvery and logEvery are how often progress is shown: in place on a screen, as lines of a log.
	screenEvery = 200 * time.Millisecond
	logEvery    = 20 * time.Second
	// firstBuild is from how many packages on a build is worth a warning: most of them are Caddy's.
	firstBuild = 100
)

// meter counts what the go command does.
type meter struct {
	w                        io.Writer
	screen                   bool
	fetched, compiled, total int
	shown                    int // characters of the line on the screen
	warned                   bool
	started, said            time.Time
}

func newMeter(w io.Writer) *meter {
	now := time.Now()
	return &meter{w: w, screen: isScreen(w), started: now, said: now}
}

// line takes one line of the go command and says whether it was one of progress.
func (m *meter) line(text string) bool {
	switch {
	case strings.HasPrefix(text, "go: downloading"):
		m.fetched++
	case isPackage(text):
		m.compiled++
	default:
		return false
	}
	if m.compiled > firstBuild && !m.warned {
		m.warned = true
		m.write("the first build compiles Caddy, too: some minutes on two cores; later ones take seconds\n")
	}
	every := logEvery
	if m.screen {
		every = screenEvery
	}
	if time.Since(m.said) >= every {
		m.said = time.Now()
		m.show()
	}
	return true
}

func (m *meter) show() {
	text := fmt.Sprintf("fetching modules: %d", m.fetched)
	if m.total > 0 {
		// Those of an earlier build are not compiled again: the end may come before 100 %.
		text = fmt.Sprintf("compiling: %d of at most %d packages (%d %%), %.0f s", m.compiled, m.total, 100*m.compiled/max(1, m.total), time.Since(m.started).Seconds())
	}
	if !m.screen {
		m.write(text + "\n")
		return
	}
	fmt.Fprintf(m.w, "\r  %-*s", m.shown, text)
	m.shown = len(text)
}

func (m *meter) write(text string) {
	m.wipe()
	fmt.Fprint(m.w, "  "+text)
}

// wipe takes the line on the screen away.
func (m *meter) wipe() {
	if m.shown > 0 {
		fmt.Fprintf(m.w, "\r  %*s\r", m.shown, "")
		m.shown = 0
	}
}

func (m *meter) done(err error) {
	result := "ready"
	switch {
	case err != nil:
		result = "failed"
	case m.compiled > 0:
		result = fmt.Sprintf("%d packages compiled", m.compiled)
	}
	m.write(fmt.Sprintf("%-28s %s (%.1f s)\n", "programs", result, time.Since(m.started).Seconds()))
}

// isPackage tells the import paths that -v prints from the compiler's complaints.
func isPackage(line string) bool { return line != "" && !strings.ContainsAny(line, " \t:#") }

// isScreen: a terminal, on which a line can be written again.
func isScreen(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}
