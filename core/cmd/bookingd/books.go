package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/ropeline/ropeline/core/booking"
	"github.com/ropeline/ropeline/core/ledger"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/problem"
)

// toolTimeout bounds a statement of a command that a person waits for.
const toolTimeout = 10 * time.Minute

// books are the commands of the ledger.
func books(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 0 {
		return errUsage
	}
	words, flags, err := splitFlags(args[1:], "from", "until")
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	run := map[string]func(*booking.Engine) error{
		"verify":    func(e *booking.Engine) error { return verifyBooks(ctx, e, out) },
		"balance":   func(e *booking.Engine) error { return trialBalance(ctx, e, word(words, 0), out) },
		"statement": func(e *booking.Engine) error { return statement(ctx, e, words, flags, out) },
		"payout":    func(e *booking.Engine) error { return payout(ctx, e, words, out) },
	}[args[0]]
	want := map[string][2]int{"verify": {0, 0}, "balance": {0, 1}, "statement": {1, 2}, "payout": {3, 3}}[args[0]]
	if run == nil || len(words) < want[0] || len(words) > want[1] || len(flags) > 0 && args[0] != "statement" {
		return errUsage
	}
	return withEngine(ctx, "bookingd ledger", run)
}

func word(words []string, i int) string {
	if i < len(words) {
		return words[i]
	}
	return ""
}

func verifyBooks(ctx context.Context, e *booking.Engine, out io.Writer) error {
	if err := e.FoldNow(ctx); err != nil {
		return err
	}
	faults, err := e.VerifyBooks(ctx)
	if err != nil {
		return err
	}
	for _, f := range faults {
		fmt.Fprintln(out, f)
	}
	if len(faults) > 0 {
		return fmt.Errorf("ledger verify: %d faults", len(faults))
	}
	fmt.Fprintln(out, "the books agree: every journal balances, accounts and orders say the same, nothing under a seal was changed, no fact precedes its cause, the folds are the sums")
	return nil
}

func trialBalance(ctx context.Context, e *booking.Engine, event string, out io.Writer) error {
	if event != "" {
		if _, err := e.EventID(ctx, event); err != nil {
			return plain(err)
		}
	}
	if err := e.FoldNow(ctx); err != nil {
		return err
	}
	list, err := e.TrialBalance(ctx, event)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "currency\taccount\tdebit\tcredit\tpostings\t")
	for _, b := range list {
		debit, credit := b.Amount.Decimal(), ""
		if b.Amount.Minor < 0 {
			debit, credit = "", debit[1:]
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t\n", b.Amount.Currency, b.Kind, debit, credit, b.Postings)
	}
	return w.Flush()
}

func statement(ctx context.Context, e *booking.Engine, words []string, flags map[string]string, out io.Writer) error {
	p, err := ledger.ParsePeriod(flags["from"], flags["until"])
	if err != nil {
		return fmt.Errorf("ledger statement: -%w", err)
	}
	return plain(e.WriteStatement(ctx, out, words[0], word(words, 1), p))
}

func payout(ctx context.Context, e *booking.Engine, words []string, out io.Writer) error {
	booked, err := e.RecordPayout(ctx, words[0], words[1], words[2])
	if err != nil {
		return fmt.Errorf("ledger payout: %w", plain(err))
	}
	if booked {
		fmt.Fprintln(out, "booked")
	} else {
		fmt.Fprintln(out, "booked before; nothing was changed")
	}
	return nil
}

// plain is a refusal's sentence without its code, for people at a terminal.
func plain(err error) error {
	if p := problem.As(err); p != nil {
		return fmt.Errorf("%s", p.Detail)
	}
	return err
}

// withEngine runs a command on the application's database, without loops or providers.
func withEngine(ctx context.Context, name string, fn func(*booking.Engine) error) error {
	c, err := loadConfig(environment())
	if err != nil {
		return err
	}
	if err := postgresURL("DATABASE_URL", c.DatabaseURL, "postgres://ropeline_app@127.0.0.1/ropeline"); err != nil {
		return err
	}
	db, err := openCurrent(ctx, c.DatabaseURL, pg.Options{MaxConns: 4, StatementTimeout: toolTimeout, ApplicationName: name})
	if err != nil {
		return err
	}
	defer db.Close()
	engine, err := booking.New(booking.Config{}, db, booking.Deps{})
	if err != nil {
		return err
	}
	return fn(engine)
}

// splitFlags takes "-name value" out of words, wherever they stand. A name that is not
// known, or without its value, is refused.
func splitFlags(args []string, names ...string) (words []string, flags map[string]string, err error) {
	flags = map[string]string{}
	for i := 0; i < len(args); i++ {
		if len(args[i]) < 2 || args[i][0] != '-' {
			words = append(words, args[i])
			continue
		}
		known := ""
		for _, n := range names {
			if args[i] == "-"+n || args[i] == "--"+n {
				known = n
			}
		}
		switch {
		case known == "":
			return nil, nil, fmt.Errorf("%s is no option of this command", args[i])
		case i+1 == len(args):
			return nil, nil, fmt.Errorf("%s wants a value", args[i])
		}
		i++
		flags[known] = args[i]
	}
	return words, flags, nil
}
