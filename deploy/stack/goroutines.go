package stack

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// module marks a goroutine of ours: its stack, or the place that started it, is in this repository.
const module = "github.com/ropeline/ropeline/"

// Goroutines are the numbers of goroutines of ours in a running program, by the place that started them.
type Goroutines map[string]int

var startedBy = regexp.MustCompile(`(?m)^created by (\S+)`)

// ReadGoroutines asks a program's /debug/pprof for its stacks.
func ReadGoroutines(ctx context.Context, base string) (Goroutines, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/debug/pprof/goroutine?debug=2", nil)
	if err != nil {
		return nil, err
	}
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("goroutines: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("goroutines: GET %s: %s", req.URL, resp.Status)
	}
	return parseGoroutines(resp.Body)
}

// parseGoroutines reads the stacks, separated by empty lines. The goroutine that answers the question is not counted.
func parseGoroutines(r io.Reader) (Goroutines, error) {
	g := Goroutines{}
	var stack strings.Builder
	add := func() {
		text := stack.String()
		stack.Reset()
		if !strings.Contains(text, module) || strings.Contains(text, "runtime/pprof.") {
			return
		}
		g[startOf(text)]++
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if lines.Text() == "" {
			add()
			continue
		}
		stack.WriteString(lines.Text() + "\n")
	}
	add()
	return g, lines.Err()
}

// startOf names what a goroutine was started for: the place of ours that started it, or, when that was a sync.WaitGroup on
// somebody's behalf, our outermost function in it. One name for all of a WaitGroup's would add up what is unrelated.
func startOf(text string) string {
	by := "main"
	if m := startedBy.FindStringSubmatch(text); m != nil {
		by = m[1]
	}
	if strings.Contains(by, module) || by == "main" {
		return by
	}
	frames, _, _ := strings.Cut(text, "created by ")
	for line := range strings.Lines(frames) {
		if end := strings.LastIndex(line, "("); end > 0 && strings.HasPrefix(line, module) { // without the arguments
			by = line[:end]
		}
	}
	return by
}

// Grown lists what is now more than it was by over `lazy`: what a program starts once when it is first needed (a lane of
// an event, a loop of a room) is no leak, what grows with the number of visitors is.
func (g Goroutines) Grown(before Goroutines, lazy int) (out []string) {
	for by, n := range g {
		if n > before[by]+lazy {
			out = append(out, fmt.Sprintf("%d goroutines of %s, before the sale %d", n, by, before[by]))
		}
	}
	return out
}
