// Command demo runs the whole of Ropeline on one machine and opens the doors:
//
//	demo          install what is missing, build, start, print the addresses; Ctrl-C stops everything
//	demo reset    forget the data
//
// A second start is quick and finds the orders and the line of the first.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/ropeline/ropeline/deploy/stack"
)

// wishedPort is the storefront's unless somebody has it.
const wishedPort = 8080

func main() {
	flags := flag.NewFlagSet("demo", flag.ExitOnError)
	port := flags.Int("port", wishedPort, "port of the storefront; a free one if it is taken")
	embedded := flags.Bool("embedded", false, "keep the line in the edge itself, without Redis")
	crowd := flags.Bool("crowd", true, "let a small virtual crowd queue and buy")
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: demo [flags] [reset]")
		flags.PrintDefaults()
	}
	flags.Parse(os.Args[1:])
	if err := command(options{port: *port, embedded: *embedded, crowd: *crowd}, flags.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

type options struct {
	port            int
	embedded, crowd bool
}

func command(o options, args []string) error {
	root, err := stack.Repository()
	if err != nil {
		return err
	}
	state := filepath.Join(root, ".run", "demo")
	release, err := stack.Lock(state)
	if err != nil {
		return err
	}
	defer release()
	switch {
	case len(args) == 0:
		// A closed terminal ends the demo like a Ctrl-C. The second signal ends it at once: the children die with us.
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		defer stop()
		return run(ctx, stop, o, root, state)
	case len(args) == 1 && args[0] == "reset":
		if err := stack.Forget(state); err != nil {
			return fmt.Errorf("forget the data: %w", err)
		}
		fmt.Println("the demo's data is gone; `make demo` starts anew")
		return nil
	}
	return errors.New("the only argument there is is `reset`")
}
