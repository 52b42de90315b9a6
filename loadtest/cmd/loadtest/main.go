// Command loadtest lets a crowd of virtual buyers loose on a box office behind a
// waiting room, and judges from evidence what happened.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

const usage = `loadtest lets virtual buyers loose on a sale and judges what happened.

  loadtest sale    buyers walk the whole way; writes the history
  loadtest record  a reverse proxy before the origin that notes every request
  loadtest check   recomputes the invariants from what a sale left behind
  loadtest smoke   sale and check in one, ends with one JSON line

  loadtest ladder  steps load up against an origin until its answers get bad; writes values to start with
  loadtest report  after an event: what was lost, and to which limit
  loadtest replay  a recorded event again, with other settings
  loadtest what-if an event with other capacity, people, no-shows, payment times

loadtest <command> -h lists a command's flags; loadtest/README.md explains them.
`

// errFound makes the exit status 1 without another line: the findings are printed.
var errFound = errors.New("the sale was not good")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch err := run(ctx, os.Args[1:]); {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "loadtest:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	commands := map[string]func(context.Context, []string) error{
		"sale": saleCommand, "check": checkCommand, "record": recordCommand, "smoke": smokeCommand,
		"ladder": ladderCommand, "report": reportCommand, "replay": replayCommand, "what-if": whatIfCommand,
	}
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		fmt.Print(usage)
		return nil
	}
	command, ok := commands[args[0]]
	if !ok {
		return fmt.Errorf("no command %q; there are sale, record, check, smoke, ladder, report, replay and what-if", args[0])
	}
	return command(ctx, args[1:])
}

// parse reads the flags of a command and refuses what is left over.
func parse(flags *flag.FlagSet, args []string) error {
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%s takes no argument %q, only flags: see loadtest %s -h", flags.Name(), flags.Arg(0), flags.Name())
	}
	return nil
}
