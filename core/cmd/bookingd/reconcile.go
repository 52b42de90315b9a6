package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ropeline/ropeline/core/booking"
	"github.com/ropeline/ropeline/core/ledger"
	"github.com/ropeline/ropeline/core/money"
	"github.com/ropeline/ropeline/core/payment"
	"github.com/ropeline/ropeline/core/payment/fakepay"
	"github.com/ropeline/ropeline/core/payment/stripe"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/ticket"
)

// reconcile runs one reconciliation of each provider now and prints what is open. It
// fails when something is.
func reconcile(ctx context.Context, args []string, out io.Writer) error {
	words, flags, err := splitFlags(args, "from", "until")
	if err != nil {
		return fmt.Errorf("reconcile: %w", err)
	}
	if len(words) > 0 {
		return errUsage
	}
	p, err := ledger.ParsePeriod(flags["from"], flags["until"])
	if err != nil {
		return fmt.Errorf("reconcile: -%w", err)
	}
	if p.Until.IsZero() {
		p.Until = time.Now()
	}
	if p.From.IsZero() {
		p.From = p.Until.AddDate(0, 0, -3)
	}
	if !p.From.Before(p.Until) {
		return fmt.Errorf("reconcile: -from: %s has not begun; there is nothing to compare yet", flags["from"])
	}
	open := 0
	err = withTill(ctx, func(e *booking.Engine, names []string) error {
		for _, name := range names {
			r, err := e.Reconcile(ctx, name, p.From, p.Until)
			if err != nil {
				return err
			}
			printReconciliation(r, out)
			open += len(r.Found)
		}
		return nil
	})
	if err == nil && open > 0 {
		err = fmt.Errorf("reconcile: %d breaks are open", open)
	}
	return err
}

func printReconciliation(r booking.Reconciliation, out io.Writer) {
	fmt.Fprintf(out, "%s from %s until %s: %d rows (%d new), %d payments compared, kept %d there and %d here (minor units)\n",
		r.Provider, r.From.Format(time.RFC3339), r.Until.Format(time.RFC3339), r.Rows, r.New, r.Payments, r.There, r.Here)
	for _, b := range r.Cured {
		fmt.Fprintf(out, "  cured  %s %s: %s\n", b.Class, b.Subject, b.Detail)
	}
	for _, b := range r.Found {
		printBreak(b, out)
	}
	if r.Off {
		fmt.Fprintf(out, "  new payments are switched off; look at the breaks, then: bookingd payments on %s -why \"...\"\n", r.Provider)
	}
}

func printBreak(b booking.Break, out io.Writer) {
	side := func(n *int64) string {
		if n == nil {
			return "-"
		}
		if c := money.Currency(b.Currency); c.Known() {
			return money.Of(*n, c).String()
		}
		return strconv.FormatInt(*n, 10) + " " + b.Currency
	}
	stops := ""
	if b.Stops {
		stops = ", stops payments"
	}
	fmt.Fprintf(out, "  %-6s %d %s %s: here %s, there %s; %s (owner: %s%s, since %s)\n", b.State, b.ID, b.Class, b.Subject, side(b.Here), side(b.There),
		b.Detail, b.Owner, stops, b.FoundAt.Format(time.RFC3339))
}

// breaks lists differences, or closes one.
func breaks(ctx context.Context, args []string, out io.Writer) error {
	words, flags, err := splitFlags(args, "why")
	if err != nil {
		return fmt.Errorf("breaks: %w", err)
	}
	return withEngine(ctx, "bookingd breaks", func(e *booking.Engine) error {
		switch {
		case len(words) == 2 && words[0] == "close":
			id, err := strconv.ParseInt(words[1], 10, 64)
			if err != nil {
				return fmt.Errorf("breaks close: %q is no number of a break", words[1])
			}
			if err := e.CloseBreak(ctx, id, operator(), flags["why"]); err != nil {
				return fmt.Errorf("breaks close: %w", plain(err))
			}
			fmt.Fprintln(out, "closed")
			return nil
		case len(flags) > 0 || len(words) > 1 || len(words) == 1 && words[0] != "all":
			return errUsage
		}
		list, err := e.Breaks(ctx, len(words) == 1)
		if err != nil {
			return err
		}
		for _, b := range list {
			printBreak(b, out)
		}
		if len(list) == 0 {
			fmt.Fprintln(out, "nothing is open")
		}
		return nil
	})
}

// payments shows or throws the switch of new payments.
func payments(ctx context.Context, args []string, out io.Writer) error {
	words, flags, err := splitFlags(args, "why")
	if err != nil {
		return fmt.Errorf("payments: %w", err)
	}
	change := len(words) == 2 && (words[0] == "on" || words[0] == "off")
	if !change && (len(words) > 0 || len(flags) > 0) {
		return errUsage
	}
	c, err := loadConfig(environment())
	if err != nil {
		return err
	}
	return withEngine(ctx, "bookingd payments", func(e *booking.Engine) error {
		if change {
			if err := knownProvider(ctx, e, c, words[1]); err != nil {
				return fmt.Errorf("payments %s: %w", words[0], err)
			}
			if err := e.SwitchPayments(ctx, words[1], words[0] == "on", operator(), flags["why"]); err != nil {
				return fmt.Errorf("payments %s: %w", words[0], plain(err))
			}
		}
		list, err := e.Payments(ctx, configuredProviders(c)...)
		if err != nil {
			return err
		}
		for _, s := range list {
			word := "on"
			if !s.On {
				word = "off (" + s.Reason + ")"
			}
			fmt.Fprintf(out, "%s: %s", s.Provider, word)
			if !s.At.IsZero() {
				fmt.Fprintf(out, " since %s by %s: %s", s.At.UTC().Format(time.RFC3339), s.By, s.Why)
			}
			fmt.Fprintln(out)
		}
		return nil
	})
}

// knownProvider refuses a name that no payment would ever ask for: its switch would be
// thrown, and payments would go on at the provider that was meant. One that was switched
// before is known without its key too.
func knownProvider(ctx context.Context, e *booking.Engine, c config, name string) error {
	list, err := e.Payments(ctx, configuredProviders(c)...)
	if err != nil {
		return err
	}
	known := make([]string, len(list))
	for i, s := range list {
		known[i] = s.Provider
	}
	if !slices.Contains(known, name) {
		return fmt.Errorf("there is no provider %q; those of this environment: %s", name, strings.Join(known, ", "))
	}
	return nil
}

// configuredProviders are the names of those that serve would have in this environment.
func configuredProviders(c config) (names []string) {
	if c.StripeKey != "" {
		names = append(names, "stripe")
	}
	if c.StripeKey == "" || len(split(c.FakepaySecrets)) > 0 {
		names = append(names, "fakepay")
	}
	return names
}

// withTill runs a command that speaks to the payment providers. Its loops do not run:
// what it leaves to be done, the processes that serve find.
func withTill(ctx context.Context, fn func(*booking.Engine, []string) error) error {
	c, err := loadConfig(environment())
	if err != nil {
		return err
	}
	c.secrets = append(c.secrets, split(c.FakepaySecrets)...)
	if len(c.secrets) == 0 && c.StripeKey == "" {
		return bad("FAKEPAY_WEBHOOK_SECRETS", "is empty; this command needs the same environment as serve")
	}
	err = errors.Join(postgresURL("DATABASE_URL", c.DatabaseURL, "postgres://ropeline_app@127.0.0.1/ropeline"), httpURL("FAKEPAY_URL", c.FakepayURL))
	if err != nil {
		return err
	}
	providers, err := providersOf(c)
	if err != nil {
		return err
	}
	tickets, err := ticket.LoadSigner(c.TicketKeyFile, c.DevIssuer == "on")
	if err != nil {
		return bad("TICKET_KEY_FILE", "%v; this command needs the same environment as serve", err)
	}
	db, err := openCurrent(ctx, c.DatabaseURL, pg.Options{MaxConns: 8, ApplicationName: "bookingd reconcile"})
	if err != nil {
		return err
	}
	defer db.Close()
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	e, err := booking.New(booking.Config{}, db, booking.Deps{Providers: providers, Tickets: tickets, Log: log})
	if err != nil {
		return err
	}
	var names []string
	for _, p := range providers {
		if _, ok := p.(payment.Settler); ok {
			names = append(names, p.Name())
		}
	}
	return fn(e, names)
}

// providersOf makes the payment providers of a configuration; new payments go to the first.
// With a Stripe key that is Stripe; fakepay answers beside it for what was begun there.
func providersOf(c config) (list []payment.Provider, err error) {
	if c.StripeKey != "" {
		s, err := stripe.New(stripe.Config{Key: c.StripeKey, Secrets: split(c.StripeSecrets), CardPage: c.StripeCardPage, URL: c.StripeURL,
			AtOnce: c.contract[0], PerSecond: float64(c.contract[1])})
		if err != nil {
			return nil, bad("STRIPE_KEY", "%v", err)
		}
		if list = append(list, s); len(c.secrets) == 0 {
			return list, nil
		}
	}
	p, err := fakepay.NewClient(fakepay.ClientConfig{URL: c.FakepayURL, PublicURL: c.FakepayPublicURL, Secrets: c.secrets,
		AtOnce: c.contract[0], PerSecond: float64(c.contract[1])})
	if err != nil {
		return nil, bad("FAKEPAY_URL", "%v", err)
	}
	return append(list, p), nil
}
