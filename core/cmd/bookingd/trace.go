package main

import (
	"context"
	"fmt"
	"io"

	"github.com/ropeline/ropeline/core/booking"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/problem"
)

// trace prints the story of a seat, one line a change. It only reads, as whichever
// role is configured.
func trace(ctx context.Context, event, seat string, out io.Writer) error {
	db, err := openForTool(ctx, pg.Options{MaxConns: 1, ApplicationName: "bookingd trace"})
	if err != nil {
		return err
	}
	defer db.Close()
	s, err := booking.Trace(ctx, db.Pool, event, seat)
	if p := problem.As(err); p != nil {
		return fmt.Errorf("trace: %s", p.Detail)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s, seat %d: %s, class %s, now %s\n", s.Event, s.Seat, s.Label, s.Class, s.State)
	for _, x := range s.Steps {
		fmt.Fprintf(out, "%s  %-10s  v%d  account %d (%s)  hold %s  %s\n", x.At.Format("2006-01-02T15:04:05.000Z"), x.What, x.Version, x.Account, x.Email, x.Hold, x.Why)
	}
	if len(s.Steps) == 0 {
		fmt.Fprintln(out, "nobody has ever held it")
	}
	return nil
}
