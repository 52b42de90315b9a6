package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/ropeline/ropeline/deploy/stack"
)

const (
	// The sale: 500 seats, held for four seconds and never longer, so that many are taken over from buyers who walked away.
	eventFile, slug = "deploy/demo/data/club.json", "late-show"
	// opensIn is counted from the start of the edge: the time that the early buyers have to come into the pre-queue.
	opensIn = 8 * time.Second
	// The door: wide enough to sell out within half a minute on two cores, and no wider: people who find every seat held
	// ask again and again, and the processor they take is missing where somebody pays within four seconds. This and the next are
	// for a machine that does nothing else; see pace.
	doorRate, doorCap = 80.0, 200.0
	// walkAways are the people who walk away and keep their slot to the end of the sale, since the room's idle time is longer
	// than it: the cap has to leave room for others beside them. The crowd is told the same number.
	walkAways = 90
	// saleLimit ends a sale that does not sell out; one that does ends by itself, well before.
	saleLimit = 50 * time.Second
	// quiet bounds the wait, after the sale, for goroutines that are about to end.
	quiet = 10 * time.Second
	// lazy is how many goroutines one place may start once, when they are first needed: the four lanes of the core.
	lazy = 4
)

func run(ctx context.Context, root, state string) (verdict string, err error) {
	if err := stack.Adopt(); err != nil {
		return "", err
	}
	p := stack.Progress{W: os.Stderr}
	bin := filepath.Join(root, ".run", "bin") // as `make` has built it
	recorder, err := stack.FreePorts(1)
	if err != nil {
		return "", err
	}
	record := fmt.Sprintf("127.0.0.1:%d", recorder[0])
	var lay pace
	if err := p.Step("this machine", func() (string, error) {
		got := share()
		lay = paceFor(got)
		return fmt.Sprintf("%s%.0f %% of them ours: %s", load(), 100*got, lay), nil
	}); err != nil {
		return "", err
	}
	s, err := stack.Up(ctx, stack.Config{
		Dir: state, Bin: bin, Caddyfile: filepath.Join(root, "deploy", "Caddyfile"), Events: []string{filepath.Join(root, eventFile)},
		Origin: record, Throwaway: true, Progress: p,
		EdgeEnv: func(*stack.Stack) []string {
			return []string{
				"ROPELINE_RATE=" + lay.rate, "ROPELINE_CAP=" + lay.cap, "ROPELINE_STATE=prequeue",
				"ROPELINE_OPENS_AT=opens_at " + time.Now().Add(lay.opensIn).UTC().Format(time.RFC3339),
			}
		},
		// No sweeper: whoever takes a seat over from a lapsed hold does it alone.
		BookingEnv: []string{"BOOKINGD_SWEEP=off"},
	})
	if err != nil {
		return "", err
	}
	before, err := countGoroutines(ctx, s)
	if err == nil {
		verdict, err = sale(ctx, bin, state, record, s, lay)
	}
	if err == nil {
		err = noLeak(ctx, s, before)
	}
	err = errors.Join(err, s.Down())
	return verdict, errors.Join(err, nothingLeft())
}

// sale lets the crowd buy and returns the judge's last line; everything for people goes on to standard error.
func sale(ctx context.Context, bin, state, record string, s *stack.Stack, lay pace) (verdict string, err error) {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "loadtest"), "smoke",
		"--edge", s.EdgeURL(), "--room", stack.Room, "--event", slug,
		"--record", record, "--origin", s.BookingURL(), "--dir", state,
		"--database", s.DatabaseURL, "--grant-log", s.GrantLog(), "--fakepay", s.FakepayURL(),
		"--for", lay.limit.String(), "--walk-aways", fmt.Sprint(walkAways), "--slow", fmt.Sprintf("%.1f", lay.slow))
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	err = cmd.Run()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if err != nil {
		err = fmt.Errorf("the sale was not good, see above (%w); everything about it lies in %s", err, state)
	}
	return lines[len(lines)-1], err
}

// listeners are those of the programs that have /debug/pprof , which only this machine reaches.
func listeners(s *stack.Stack) map[string]string {
	return map[string]string{"edge": s.AdminURL(), "bookingd": s.InternalURL()}
}

func countGoroutines(ctx context.Context, s *stack.Stack) (map[string]stack.Goroutines, error) {
	counts := map[string]stack.Goroutines{}
	for name, base := range listeners(s) {
		g, err := stack.ReadGoroutines(ctx, base)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		counts[name] = g
	}
	return counts, nil
}

// noLeak waits until no program has more goroutines of ours than before the sale, and names those that do not end.
func noLeak(ctx context.Context, s *stack.Stack, before map[string]stack.Goroutines) error {
	for deadline := time.Now().Add(quiet); ; {
		now, err := countGoroutines(ctx, s)
		if err != nil {
			return err
		}
		var grown []string
		for name := range now {
			for _, g := range now[name].Grown(before[name], lazy) {
				grown = append(grown, name+": "+g)
			}
		}
		if len(grown) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("goroutines leak: %s", strings.Join(grown, "; "))
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func nothingLeft() error {
	left, err := stack.Left()
	if err == nil && len(left) > 0 {
		err = fmt.Errorf("processes are left behind: %s", strings.Join(left, ", "))
	}
	return err
}
