// Command smoke runs a whole sale without a browser and judges it: 2,000 buyers for 500 seats, an opening with a draw,
// declined cards, doubled requests, people who walk away with seats in their hands.
//
// Progress goes to standard error. The last line of standard output is the verdict as JSON; the exit status is 0 only if
// every promise was kept, every seat was sold, and every program ended in order with nothing left behind.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/ropeline/ropeline/deploy/stack"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	verdict, err := command(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "smoke:", err)
	}
	if verdict != "" {
		fmt.Println(verdict) // also of a failed run: the numbers say what failed
	}
	if err != nil {
		os.Exit(1)
	}
}

func command(ctx context.Context) (verdict string, err error) {
	root, err := stack.Repository()
	if err != nil {
		return "", err
	}
	state := filepath.Join(root, ".run", "smoke")
	release, err := stack.Lock(filepath.Join(root, ".run", "smoke-lock"))
	if err != nil {
		return "", err
	}
	defer release()
	if err := stack.Forget(state); err != nil {
		return "", fmt.Errorf("the last run's data: %w", err)
	}
	if err := os.MkdirAll(state, 0o755); err != nil {
		return "", err
	}
	return run(ctx, root, state)
}
