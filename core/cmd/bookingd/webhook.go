package main

import (
	"context"
	"fmt"
	"io"

	"github.com/ropeline/ropeline/core/booking"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/problem"
)

// webhook shows the notices that need somebody's eye, or has one read again.
func webhook(ctx context.Context, args []string, out io.Writer) error {
	list := len(args) == 1 && args[0] == "list"
	if !list && (len(args) != 3 || args[0] != "resend") {
		return errUsage
	}
	db, err := openForTool(ctx, pg.Options{MaxConns: 1, ApplicationName: "bookingd webhook"})
	if err != nil {
		return err
	}
	defer db.Close()
	if list {
		return listWebhooks(ctx, db, out)
	}
	err = booking.ResendWebhook(ctx, db.Pool, args[1], args[2])
	if p := problem.As(err); p != nil {
		return fmt.Errorf("webhook: %s `bookingd webhook list` shows those that wait", p.Detail)
	}
	if err == nil {
		fmt.Fprintln(out, "the running bookingd reads it again within a second")
	}
	return err
}

func listWebhooks(ctx context.Context, db *pg.DB, out io.Writer) error {
	letters, err := booking.Webhooks(ctx, db.Pool)
	if err != nil {
		return err
	}
	for _, l := range letters {
		fmt.Fprintf(out, "%s  %-11s  %s %s  %d tries  %s\n", l.ReceivedAt.UTC().Format("2006-01-02T15:04:05Z"), l.State, l.Provider, l.ID, l.Tries, l.Error)
	}
	if len(letters) == 0 {
		fmt.Fprintln(out, "every notice was read and matched a payment")
	}
	return nil
}
