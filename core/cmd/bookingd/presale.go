package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/ropeline/ropeline/core/booking"
)

// presales prints how far codes are used: of all presales of an event, or of the codes
// of one.
func presales(ctx context.Context, args []string, out io.Writer) error {
	if len(args) < 2 || len(args) > 4 || args[0] != "list" {
		return errUsage
	}
	return withShop(ctx, "presale", func(e *booking.Engine) error {
		list, err := e.Presales(ctx, args[1])
		if err != nil {
			return err
		}
		t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		defer t.Flush()
		if len(args) == 2 {
			printPresales(t, args[1], list)
			return nil
		}
		for _, p := range list {
			if p.Name == args[2] {
				only := ""
				if len(args) == 4 {
					only = args[3]
				}
				return printCodes(ctx, t, e, args[1], p, only)
			}
		}
		return fmt.Errorf("event %q has no presale %q; `bookingd presale list %s` names them", args[1], args[2], args[1])
	})
}

func printPresales(w io.Writer, event string, list []booking.PresaleUse) {
	if len(list) == 0 {
		fmt.Fprintf(w, "%s has no presale\n", event)
		return
	}
	fmt.Fprintln(w, "presale\tstarts\tends\tcodes\tuses\tused\taccounts")
	for _, p := range list {
		ends := "with the sale to everybody"
		if p.EndsAt != nil {
			ends = day(*p.EndsAt)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\t%d\t%d\n", p.Name, day(p.StartsAt), ends, p.Codes, p.Uses, p.Used, p.Accounts)
	}
}

// printCodes goes through the pages. A mark tells codes apart: they are kept as hashes.
func printCodes(ctx context.Context, w io.Writer, e *booking.Engine, event string, p booking.PresaleUse, only string) error {
	after, n := "", 0
	for {
		page, err := e.Codes(ctx, event, p.Presale, after, only)
		if err != nil {
			return err
		}
		for _, c := range page {
			if n++; n == 1 {
				fmt.Fprintln(w, "code\tuses\tused")
			}
			fmt.Fprintf(w, "%s\t%d\t%d\n", c.Mark, c.Uses, c.Used)
		}
		if len(page) < booking.CodePage {
			break
		}
		after = page[len(page)-1].Mark
	}
	switch {
	case n == 0 && only != "":
		return fmt.Errorf("%q is no code of presale %q", only, p.Name)
	case n == 0:
		fmt.Fprintf(w, "%s has no codes; `bookingd codes` makes some\n", p.Name)
	}
	return nil
}

func day(s booking.Stamp) string { return time.Time(s).UTC().Format("2006-01-02T15:04:05Z") }
