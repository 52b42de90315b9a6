package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/ropeline/ropeline/core/booking"
	"github.com/ropeline/ropeline/core/pg"
)

// setLimit changes what an area or a class may sell, while it is sold too, under the
// name of whoever is at this terminal.
func setLimit(ctx context.Context, args []string, out io.Writer) error {
	if len(args) != 5 {
		return errUsage
	}
	r := booking.LimitRequest{Actor: "limit by " + operator(), Reason: args[4]}
	var err error
	if r.Counter, err = counterNumber("limit", args[1]); err != nil {
		return err
	}
	if r.Capacity, err = strconv.Atoi(args[2]); err != nil {
		return fmt.Errorf("limit: %q is not a capacity; write a number of places", args[2])
	}
	if r.Overbook, err = strconv.Atoi(args[3]); err != nil {
		return fmt.Errorf("limit: %q is not a number of places sold past the capacity; write 0 for none", args[3])
	}
	return withShop(ctx, "limit", func(e *booking.Engine) error {
		v, err := e.SetLimit(ctx, args[0], r)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: capacity %d and %d past it; %d sold, %d held, %d available", v.Name, v.Capacity, v.Overbook, v.Sold, v.Held, v.Available)
		if v.Excess > 0 {
			fmt.Fprintf(out, "; %d more than fit: nothing is sold until they are fewer", v.Excess)
		}
		fmt.Fprintln(out)
		return nil
	})
}

// denied prints who has no place in an overbooked class if everybody comes.
func denied(ctx context.Context, event, counter string, out io.Writer) error {
	n, err := counterNumber("denied", counter)
	if err != nil {
		return err
	}
	return withShop(ctx, "denied", func(e *booking.Engine) error {
		list, err := e.DeniedBoarding(ctx, event, n)
		if err != nil {
			return err
		}
		for _, d := range list {
			order := "none"
			if d.Order != nil {
				order = d.Order.String()
			}
			fmt.Fprintf(out, "%s  account %d (%s)  order %s  line %d, place %d\n", time.Time(d.HeldAt).Format("2006-01-02T15:04:05.000Z"), d.Account, d.Email, order, d.Line, d.Unit)
		}
		if len(list) == 0 {
			fmt.Fprintln(out, "everybody has a place")
		}
		return nil
	})
}

func counterNumber(command, text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%s: %q is not the number of an area or class; GET /v1/events/<event> lists them", command, text)
	}
	return n, nil
}

// withShop runs a command on the database that an import would go to.
func withShop(ctx context.Context, command string, fn func(*booking.Engine) error) error {
	db, err := openForTool(ctx, pg.Options{MaxConns: 2, StatementTimeout: importStatement, ApplicationName: "bookingd " + command})
	if err != nil {
		return err
	}
	defer db.Close()
	engine, err := booking.New(booking.Config{}, db, booking.Deps{})
	if err != nil {
		return err
	}
	if err := fn(engine); err != nil {
		return fmt.Errorf("%s: %w", command, plain(err))
	}
	return nil
}
