package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"time"

	"github.com/ropeline/ropeline/loadtest"
	"github.com/ropeline/ropeline/loadtest/buyer"
	"github.com/ropeline/ropeline/loadtest/check"
)

// What a smoke run is: whom it sends and what must come out. The event has a
// hold_ttl of 4 s, no extension, and nobody sweeps.
const (
	smokeBuyers    = 2000
	smokeSeats     = 500
	smokeWalkAways = 90 // of which at least 60 come to hold seats; two seats each on average
	smokeTakenOver = 40
	smokeLimit     = 50 * time.Second // of the sale, which ends when all is sold; a slow machine is given more

	goroutinesEnd = 5 * time.Second // until everything this process started is over
)

func smokeCommand(ctx context.Context, args []string) error {
	before := runtime.NumGoroutine()
	o := saleOptions{}
	var c checkOptions
	flags := flag.NewFlagSet("smoke", flag.ContinueOnError)
	o.register(flags)
	c.register(flags, true)
	dir := flags.String("dir", ".", "directory for history and recorder's file")
	seats := flags.Int("seats", smokeSeats, "seats of the event, all of which must be sold")
	slow := flags.Float64("slow", 1, "how much slower than a machine of its own this one was found to be; it only words the verdict")
	takenOver := flags.Int("taken-over", smokeTakenOver, "seats that must be sold after an expired hold was taken over")
	for name, value := range map[string]string{
		"buyers": fmt.Sprint(smokeBuyers), "walk-away": "0.35", "walk-aways": fmt.Sprint(smokeWalkAways), "late-pay": "0.02", "for": smokeLimit.String(),
	} {
		if err := flags.Set(name, value); err != nil {
			return err
		}
	}
	if err := parse(flags, args); err != nil {
		return err
	}
	if o.listen == "" || o.database == "" || c.grants == "" || c.fakepay == "" {
		return errors.New("smoke needs all evidence: --record, --origin, --database, --grant-log and --fakepay")
	}
	o.history, o.record = filepath.Join(*dir, "history.jsonl"), filepath.Join(*dir, "record.jsonl")
	c.database, c.history, c.record, c.room = o.database, o.history, o.record, o.crowd.Room

	why, err := smoke(ctx, &o, &c, loadtest.Goal{Seats: *seats, TakenOver: *takenOver, Slow: *slow})
	if err != nil {
		return err
	}
	if left := leaked(before); left > 0 {
		why = append(why, fmt.Sprintf("%d goroutines of loadtest did not end", left))
	}
	for _, w := range why {
		fmt.Fprintln(os.Stderr, "smoke:", w)
	}
	if len(why) > 0 {
		return errFound
	}
	return nil
}

// smoke runs sale and check and prints the verdict as the last line of standard
// output; everything for people goes to standard error.
func smoke(ctx context.Context, o *saleOptions, c *checkOptions, goal loadtest.Goal) (why []string, err error) {
	began := time.Now()
	report, err := o.run(ctx)
	if err != nil {
		return nil, err
	}
	tell(report)
	e, done, err := c.collect(ctx, check.All)
	if err != nil {
		return nil, err
	}
	defer done()
	found, err := check.Run(ctx, check.All, e)
	if err != nil {
		return nil, err
	}
	v := loadtest.Verdict{Buyers: report.Buyers}
	v.Judge(found, e.History, e.Requests)
	if v.Sold, _, err = check.Sold(ctx, e.DB, o.crowd.Event); err != nil {
		return nil, err
	}
	if v.TakenOver, err = check.TakenOver(ctx, e.DB, o.crowd.Event); err != nil {
		return nil, err
	}
	if v.LedgerSum, err = check.LedgerSum(ctx, e.DB); err != nil {
		return nil, err
	}
	if err := printFindings(check.All, found); err != nil {
		return nil, err
	}
	for what, n := range loadtest.Errors5xx(e.History, e.Requests) {
		fmt.Fprintf(os.Stderr, "5xx  %s, %d times\n", what, n)
	}
	v.Seconds = time.Since(began).Round(time.Millisecond).Seconds()
	if too := v.TooSlow(goal, found); too != "" {
		fmt.Fprintln(os.Stderr, "smoke:", too)
	}
	return v.Failures(goal, found), json.NewEncoder(os.Stdout).Encode(v)
}

func tell(r buyer.Report) {
	text, err := json.Marshal(r)
	if err == nil {
		fmt.Fprintf(os.Stderr, "the crowd: %s\n", text)
	}
}

// leaked waits until no more goroutines run than before, and shows them if they do not end.
func leaked(before int) int {
	http.DefaultClient.CloseIdleConnections()
	for until := time.Now().Add(goroutinesEnd); ; {
		left := runtime.NumGoroutine() - before
		if left <= 0 {
			return 0
		}
		if time.Now().After(until) {
			_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
			return left
		}
		time.Sleep(10 * time.Millisecond)
	}
}
