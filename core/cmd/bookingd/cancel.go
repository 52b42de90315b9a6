package main

import (
	"context"
	"fmt"
	"io"

	"github.com/ropeline/ropeline/core/booking"
	"github.com/ropeline/ropeline/core/money"
)

// eventCommand are the commands about a whole event.
func eventCommand(ctx context.Context, args []string, out io.Writer) error {
	if len(args) < 2 {
		return errUsage
	}
	words, flags, err := splitFlags(args[1:], "why", "amount")
	if err != nil {
		return fmt.Errorf("event: %w", err)
	}
	switch {
	case len(words) != 1:
		return errUsage
	case args[0] == "report" && len(flags) == 0:
		return withEngine(ctx, "bookingd event", func(e *booking.Engine) error { return reportCancellation(ctx, e, words[0], out) })
	case args[0] == "cancel":
		return withEngine(ctx, "bookingd event", func(e *booking.Engine) error { return cancelEvent(ctx, e, words[0], flags, out) })
	}
	return errUsage
}

// cancelEvent without an amount is the dry run: what it prints is what has to be said to
// do it. The processes that serve carry it out.
func cancelEvent(ctx context.Context, e *booking.Engine, event string, flags map[string]string, out io.Writer) error {
	text, sure := flags["amount"]
	if !sure {
		return reportCancellation(ctx, e, event, out)
	}
	now, err := e.CancellationOf(ctx, event)
	if err != nil {
		return plain(err)
	}
	amount, err := money.Parse(text, money.Currency(now.Currency))
	if err != nil {
		return fmt.Errorf("event cancel: -amount: %w", err)
	}
	c, err := e.CancelEvent(ctx, event, operator(), flags["why"], amount.Minor)
	if err != nil {
		return fmt.Errorf("event cancel: %w", plain(err))
	}
	printCancellation(c, out)
	return nil
}

func reportCancellation(ctx context.Context, e *booking.Engine, event string, out io.Writer) error {
	c, err := e.CancellationOf(ctx, event)
	if err != nil {
		return plain(err)
	}
	printCancellation(c, out)
	return nil
}

func printCancellation(c booking.Cancellation, out io.Writer) {
	m := func(minor int64) string { return money.Of(minor, money.Currency(c.Currency)).String() }
	if c.State == "dry_run" {
		fmt.Fprintf(out, "%s is not cancelled. Cancelling it ends %d orders and gives %s back.\n", c.Event, c.OrdersLeft, m(c.AmountLeft))
		fmt.Fprintf(out, "To do it: bookingd event cancel %s -amount %s -why \"...\"\n", c.Event, money.Of(c.AmountLeft, money.Currency(c.Currency)).Decimal())
		return
	}
	fmt.Fprintf(out, "%s was cancelled by %s (%s): %s\n", c.Event, c.By, c.Why, c.State)
	fmt.Fprintf(out, "  at its begin       %6d orders    %s\n", c.Orders, m(c.Amount))
	fmt.Fprintf(out, "  not ended yet      %6d orders    %s\n", c.OrdersLeft, m(c.AmountLeft))
	fmt.Fprintf(out, "  ended unpaid       %6d orders\n", c.Cancelled)
	fmt.Fprintf(out, "  refunds under way  %6d           %s\n", c.Reserved, m(c.ReservedSum))
	fmt.Fprintf(out, "  refunded           %6d           %s\n", c.Refunded, m(c.RefundedSum))
	fmt.Fprintf(out, "  failing %d, disputed %d, payments not settled %d\n", c.Failing, c.Disputed, c.PaymentsAsked)
}
