// Command demo runs the whole of Ropeline on one machine and opens the doors:
//
//	demo            install what is missing, build, start, print the addresses; Ctrl-C stops everything
//	demo addresses  say again where the running demo can be reached
//	demo reset      forget the data
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
	local := flags.Bool("local", false, "only this machine can open the storefront; without it every machine on the network can")
	embedded := flags.Bool("embedded", false, "keep the line in the edge itself, without Redis")
	crowd := flags.Bool("crowd", true, "let a small virtual crowd queue and look around")
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: demo [flags] [addresses|reset]")
		flags.PrintDefaults()
	}
	flags.Parse(os.Args[1:])
	if err := command(options{port: *port, local: *local, embedded: *embedded, crowd: *crowd}, flags.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

type options struct {
	port                   int
	local, embedded, crowd bool
}

const (
	maxPort = 65535
	// addressFile has what the running demo said when it was ready.
	addressFile = "addresses.txt"
)

// addresses prints them, if a demo holds the lock of state.
func addresses(state string) error {
	if release, err := stack.Lock(state); err == nil {
		release()
		return errors.New("it does not run: start it with `make demo`")
	}
	text, err := os.ReadFile(filepath.Join(state, addressFile))
	if errors.Is(err, os.ErrNotExist) {
		return errors.New("it is starting: ask again when it has said that the doors are open")
	}
	os.Stdout.Write(text)
	return err
}

func command(o options, args []string) error {
	root, err := stack.Repository()
	if err != nil {
		return err
	}
	if o.port < 1 || o.port > maxPort {
		return fmt.Errorf("--port %d: a port is from 1 to %d", o.port, maxPort)
	}
	state := filepath.Join(root, ".run", "demo")
	if len(args) == 1 && args[0] == "addresses" {
		return addresses(state)
	}
	release, err := stack.Lock(state)
	if err != nil {
		return err
	}
	defer release()
	os.Remove(filepath.Join(state, addressFile)) // of a demo that has ended
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
	return fmt.Errorf("there is no argument %q, only `addresses` and `reset`", args[0])
}
