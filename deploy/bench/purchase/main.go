package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/ropeline/ropeline/deploy/bench/figures"
	"github.com/ropeline/ropeline/deploy/stack"
)

// section measures some figures that belong together, once.
type section struct {
	name    string
	figures []string
	run     func(context.Context, *server, *figures.Figures) error
}

var sections = []section{
	{"ledger", []string{"ledger.check_overhead", "ledger.post_overhead"}, ledgerBench},
	{"purchase", []string{"purchase.vs_one_by_one", "purchase.commits_per_order"}, purchaseBench},
	{"webhooks", []string{"webhooks.ack_p99_ms", "webhooks.forged_accepted"}, webhookBench},
	{"chaos", []string{"payments.double_charged", "payments.orphaned", "payments.unknown_resolved_p99_s"}, chaosBench},
	{"reconcile", []string{"reconcile.rows_per_s"}, reconcileBench},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := command(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "purchase:", err)
		os.Exit(1)
	}
}

func command(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("purchase", flag.ContinueOnError)
	runs := f.Int("runs", 3, "times each section is measured; the median is printed")
	seconds := f.Int("seconds", 4, "length of one measurement of the ledger")
	rows := f.Int("rows", 1_000_000, "rows of the settlement report")
	payments := f.Int("payments", 20_000, "payments of the chaos")
	var names, usual []string
	for _, s := range sections {
		if names = append(names, s.name); s.name != "chaos" { // which is no measurement: make chaos-payments
			usual = append(usual, s.name)
		}
	}
	only := f.String("only", strings.Join(usual, ","), "sections to run, of: "+strings.Join(names, ","))
	if err := f.Parse(args); err != nil {
		return err
	}
	if *runs < 1 || *seconds < 1 || *rows < 1000 || *payments < 1 || f.NArg() > 0 {
		return errors.New("want positive numbers, at least 1000 rows, and no other words; see -h")
	}
	wanted := strings.Split(*only, ",")
	for _, w := range wanted {
		if !slices.Contains(names, w) {
			return fmt.Errorf("-only: %q is not one of %s", w, strings.Join(names, ", "))
		}
	}
	if err := stack.Adopt(); err != nil {
		return err
	}
	out := figures.New(os.Stdout)
	for _, s := range sections {
		if !slices.Contains(wanted, s.name) {
			continue
		}
		for range *runs {
			if err := measure(ctx, s, out, *seconds, *rows, *payments); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
		out.Print(s.figures...)
	}
	return nil
}

// measure runs a section on a server of its own: what one leaves behind, the next does not
// find.
func measure(ctx context.Context, s section, out *figures.Figures, seconds, rows, payments int) error {
	srv, err := startServer(ctx, out)
	if err != nil {
		return err
	}
	defer srv.close()
	srv.seconds, srv.rows, srv.payments = seconds, rows, payments
	return s.run(ctx, srv, out)
}
