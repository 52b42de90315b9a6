package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// complaints are errors of the pages: exceptions, refused scripts, failed requests.
type complaints struct {
	mu    sync.Mutex
	lines []string
}

// overhear collects what the tab writes to its console as an error, until the tab is closed.
func overhear(ctx context.Context) *complaints {
	c := &complaints{}
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return // the tab is closed
			}
			if (m.IsException() || m.Type == "error") && !expected(m) {
				c.add(fmt.Sprintf("%s (%s)", m, m.URL))
			}
		}
	}()
	return c
}

// expected: the waiting page is a 503 on purpose, the line's 409 means "not yet", and a changing call without an account
// is answered 401, upon which the page leads to the sign-in page. The browser writes each of them down as an error.
func expected(m chromedp.ConsoleMessage) bool {
	return m.Source == "network" && (strings.Contains(m.Text, "503") || strings.Contains(m.Text, "409") || strings.Contains(m.Text, "401"))
}

func (c *complaints) add(line string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lines = append(c.lines, line)
}

func (c *complaints) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.lines, "\n")
}

// keep writes a picture to .run/shots.
func keep(t *testing.T, name string, png []byte) {
	t.Helper()
	dir := filepath.Join(repository(t), ".run", "shots")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), png, 0o644); err != nil {
		t.Fatal(err)
	}
}
