// Command bookingd is the booking core: the HTTP API with the storefront, the
// loops behind it, and the two commands that prepare its database. All
// configuration is by environment; `bookingd help` lists it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"
	_ "time/tzdata" // events name IANA zones; a small container has no list of them

	"github.com/ropeline/ropeline/core/event/eventfile"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // after the first signal the second one kills
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// errUsage: the command line is not one of ours.
var errUsage = errors.New("usage")

// errNoCommand: a word that is none of our commands.
var errNoCommand = errors.New("no such command")

// commands are the words that command knows.
var commands = []string{"serve", "migrate", "import", "trace", "limit", "denied", "codes", "presale", "ledger", "event", "reconcile", "breaks", "payments", "webhook", "version", "help", "-h", "--help"}

// takeWords are the commands that take further words.
var takeWords = []string{"import", "trace", "limit", "denied", "codes", "presale", "ledger", "event", "reconcile", "breaks", "payments", "webhook"}

// run is main without the process: 0 done, 1 failed, 2 not understood.
func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	err := command(ctx, args, out, errOut)
	var findings *fileFindings
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errUsage):
		fmt.Fprint(errOut, usageOf(args))
		return 2
	case errors.Is(err, errNoCommand):
		fmt.Fprintln(errOut, "bookingd:", err)
		return 2
	case errors.As(err, &findings):
		findings.print(errOut)
	default:
		fmt.Fprintln(errOut, "bookingd:", err)
	}
	return 1
}

func command(ctx context.Context, args []string, out, errOut io.Writer) error {
	if len(args) == 0 {
		return errUsage
	}
	if !slices.Contains(commands, args[0]) {
		return fmt.Errorf("%w: %q; `bookingd help` lists them: serve, migrate, import, trace, limit, denied, codes, presale, ledger, event, reconcile, breaks, payments, webhook, version", errNoCommand, args[0])
	}
	if !slices.Contains(takeWords, args[0]) && len(args) > 1 {
		return errUsage
	}
	switch args[0] {
	case "serve":
		return serve(ctx, errOut)
	case "migrate":
		return migrateUp(ctx, out)
	case "import":
		return importFiles(ctx, args[1:], out)
	case "trace":
		if len(args) != 3 {
			return errUsage
		}
		return trace(ctx, args[1], args[2], out)
	case "limit":
		return setLimit(ctx, args[1:], out)
	case "denied":
		if len(args) != 3 {
			return errUsage
		}
		return denied(ctx, args[1], args[2], out)
	case "codes":
		return makeCodes(ctx, args[1:], out)
	case "presale":
		return presales(ctx, args[1:], out)
	case "ledger":
		return books(ctx, args[1:], out)
	case "event":
		return eventCommand(ctx, args[1:], out)
	case "reconcile":
		return reconcile(ctx, args[1:], out)
	case "breaks":
		return breaks(ctx, args[1:], out)
	case "payments":
		return payments(ctx, args[1:], out)
	case "webhook":
		return webhook(ctx, args[1:], out)
	case "version":
		fmt.Fprintln(out, "bookingd", version())
		return nil
	case "help", "-h", "--help":
		fmt.Fprint(out, usage)
		return nil
	}
	return errUsage
}

// version is what the build knows of itself.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && (v == "" || v == "(devel)") {
			v = s.Value
		}
	}
	if v == "" {
		v = "(devel)"
	}
	return v + " " + info.GoVersion
}

// fileFindings is what is wrong with one import file.
type fileFindings struct {
	file     string
	findings eventfile.Findings
}

func (f *fileFindings) Error() string { return f.file + ": " + f.findings.Error() }

func (f *fileFindings) print(w io.Writer) {
	for _, one := range f.findings {
		fmt.Fprintf(w, "%s: %s\n", f.file, one)
	}
}
