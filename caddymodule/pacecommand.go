package caddymodule

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/ropeline/ropeline/admission/pace/record"
	pacereport "github.com/ropeline/ropeline/admission/pace/report"
)

// paceCommands are those of `ropeline room` about admission.
func (o *operator) paceCommands() []*cobra.Command {
	explain := &cobra.Command{Use: "explain <room> [time]", Short: "Says why the rate was what it was, now or at a time (20:15, 20:15:30 or RFC 3339)",
		Args: usedArgs, SilenceUsage: true, RunE: func(_ *cobra.Command, args []string) error { return o.explain(args) }}
	var preview bool
	set := &cobra.Command{Use: "pace <room> <auto|pin|pause|drain|shadow> [rate]", Short: "Overrides the controller for a while (--for, default 15m); auto gives the rate back to it",
		Args: usedArgs, SilenceUsage: true, RunE: func(_ *cobra.Command, args []string) error { return o.setPace(args, preview) }}
	set.Flags().StringVar(&o.Why, "why", "", "the reason; required, except for auto")
	set.Flags().StringVar(&o.Who, "who", "", "who decides it (default: the user of this command)")
	set.Flags().StringVar(&o.For, "for", "", "how long it holds, for example 30m")
	set.Flags().BoolVar(&preview, "preview", false, "say what it would do and change nothing")
	return []*cobra.Command{explain, set}
}

func (o *operator) explain(args []string) error {
	uri := adminPrefix + "/" + url.PathEscape(args[0]) + "/" + pacePathPast
	if len(args) == 2 {
		at, err := moment(args[1], time.Now())
		if err != nil {
			return err
		}
		uri += "?" + url.Values{"at": {at.Format(time.RFC3339Nano)}}.Encode()
	}
	raw, err := o.ask(http.MethodGet, uri, nil)
	if err != nil || o.JSON {
		return o.raw(raw, err)
	}
	var r record.Record
	if err := json.Unmarshal(raw, &r); err != nil {
		return err
	}
	fmt.Fprintf(o.out, "%s  %s\n", stamp(r.At), r.Sentence)
	if !r.Applied {
		fmt.Fprintf(o.out, "shadow: not applied; %.2f people a second were let in\n", r.InForce)
	}
	return o.limits(&r.Document, r.Holds)
}

// limits prints what a decision was the smallest of.
func (o *operator) limits(d *pacereport.Document, holds string) error {
	names := slices.SortedFunc(maps.Keys(d.Limits), func(a, b string) int {
		switch x, y := d.Limits[a], d.Limits[b]; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	w := tabwriter.NewWriter(o.out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "LIMIT\tPEOPLE/S")
	for _, name := range names {
		mark := ""
		if name == d.Reason {
			mark = "  <-"
		}
		fmt.Fprintf(w, "%s\t%.2f%s\n", name, d.Limits[name], mark)
	}
	for _, s := range d.Signals {
		if s.State == pacereport.SignalWarn || s.State == pacereport.SignalStale {
			fmt.Fprintf(w, "%s\t%s, %.0f s old\n", s.Name, s.State, *s.Age)
		}
	}
	if holds != "" && holds != "line" { // that nobody waits needs no word
		fmt.Fprintf(w, "fewer places are called\t%s\n", holds)
	}
	return w.Flush()
}

// moment reads a time of day as the last such one.
func moment(text string, now time.Time) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t, nil
	}
	for _, layout := range []string{"15:04:05", "15:04"} {
		t, err := time.ParseInLocation(layout, text, now.Location())
		if err != nil {
			continue
		}
		y, m, d := now.Date()
		at := time.Date(y, m, d, t.Hour(), t.Minute(), t.Second(), 0, now.Location())
		if at.After(now) {
			at = at.AddDate(0, 0, -1)
		}
		return at, nil
	}
	return time.Time{}, fmt.Errorf("time %q: write 20:15, 20:15:30 or 2026-11-30T20:15:30Z", text)
}

// fromNowOn says what an order brings. Auto only ends another: in a room that is shadow in its file, nothing is applied after it.
func fromNowOn(mode, configured string) string {
	if mode == pacereport.Auto && configured == pacereport.Shadow {
		return "shadow from the next second on, as its configuration says: the rate that was set holds; write pace auto there to have decisions applied"
	}
	return mode + " from the next second on"
}

func (o *operator) setPace(args []string, preview bool) error {
	order := pacereport.Order{Mode: args[1], Who: o.Who, Why: o.Why, For: o.For}
	if order.Who == "" {
		order.Who = thisUser()
	}
	if len(args) == 3 {
		rate, err := perSecondOf("rate", args[2])
		if err != nil {
			if rate, err = strconv.ParseFloat(args[2], 64); err != nil {
				return fmt.Errorf("rate %q: write people a second, 4.5 or 20/s", args[2])
			}
		}
		order.Rate = rate
	}
	body, err := json.Marshal(order)
	if err != nil {
		return err
	}
	uri := adminPrefix + "/" + url.PathEscape(args[0]) + "/" + pacePathSet
	if preview {
		uri += "?preview=1"
	}
	raw, err := o.ask(http.MethodPost, uri, body)
	if err != nil || o.JSON {
		return o.raw(raw, err)
	}
	if preview {
		var p pacereport.Preview
		if err := json.Unmarshal(raw, &p); err != nil {
			return err
		}
		fmt.Fprintln(o.out, p.Sentence)
		return nil
	}
	var doc pacereport.Document
	if err := json.Unmarshal(raw, &doc); err != nil {
		return err
	}
	fmt.Fprintln(o.out, args[0]+": "+fromNowOn(args[1], doc.Configured))
	return nil
}
