package main

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ropeline/ropeline/loadtest/buyer"
	"github.com/ropeline/ropeline/loadtest/check"
	"github.com/ropeline/ropeline/loadtest/history"
	"github.com/ropeline/ropeline/loadtest/record"
)

// ungated are the paths that deploy/Caddyfile leaves outside of the gate.
const ungated = "/assets/*,/favicon.ico,/robots.txt,/sign-in,/sign-out,/dev/token,/checkout/*,/orders,/orders/*,/v1/orders,/v1/orders/*," +
	"/tickets,/tickets/*,/v1/tickets,/v1/tickets/*,/v1/ticket-keys,/v1/geometry/*,/webhooks/*,/openapi.json,/healthz,/readyz"

// checkOptions say where the evidence is.
type checkOptions struct {
	database, grants, history, record, fakepay, jwks string
	room, ungated, only                              string
	settle                                           time.Duration
	asJSON                                           bool
}

// register adds the flags of check; shared ones are left to the sale's set.
func (o *checkOptions) register(f *flag.FlagSet, shared bool) {
	f.StringVar(&o.grants, "grant-log", "", "grant log of the edge; several with commas between them")
	f.StringVar(&o.fakepay, "fakepay", "", "address of the payment provider's API, e.g. http://127.0.0.1:9100")
	f.StringVar(&o.jwks, "jwks", "", "pass keys: address or file (default: those in the history)")
	f.StringVar(&o.ungated, "ungated", ungated, "paths the edge forwards without a pass; * at the end matches what follows")
	f.StringVar(&o.only, "only", "", "invariants to check, e.g. B1,L1 (default: all)")
	f.DurationVar(&o.settle, "settle", 20*time.Second, "how long payments under way may take to end before the check")
	f.BoolVar(&o.asJSON, "json", false, "print findings as JSON")
	if !shared {
		f.StringVar(&o.database, "database", "", "PostgreSQL URL of the booking core")
		f.StringVar(&o.history, "history", "history.jsonl", "file of the buyers' history")
		f.StringVar(&o.record, "record", "record.jsonl", "file of the recording proxy")
		f.StringVar(&o.room, "room", "boxoffice", "name of the waiting room")
	}
}

func checkCommand(ctx context.Context, args []string) error {
	var o checkOptions
	flags := flag.NewFlagSet("check", flag.ContinueOnError)
	o.register(flags, false)
	if err := parse(flags, args); err != nil {
		return err
	}
	list, err := check.Select(o.only)
	if err != nil {
		return err
	}
	e, done, err := o.collect(ctx, list)
	if err != nil {
		return err
	}
	defer done()
	found, err := check.Run(ctx, list, e)
	show := printFindings
	if o.asJSON {
		show = printJSON
	}
	if err := errors.Join(err, show(list, found)); err != nil {
		return err
	}
	if len(found) > 0 {
		return errFound
	}
	return nil
}

// collect loads what the chosen invariants need, and nothing else. done closes
// the database.
func (o *checkOptions) collect(ctx context.Context, list []check.Invariant) (e *check.Evidence, done func(), err error) {
	e, done = &check.Evidence{Room: o.room, Ungated: strings.Split(o.ungated, ",")}, func() {}
	needs := func(s check.Source) bool {
		return slices.ContainsFunc(list, func(i check.Invariant) bool { return slices.Contains(i.Needs, s) })
	}
	if needs(check.Database) {
		pool, err := connect(ctx, o.database)
		if err != nil {
			return nil, nil, err
		}
		e.DB, done = pool, pool.Close
		if err := check.WaitQuiet(ctx, pool, o.settle); err != nil {
			done()
			return nil, nil, fmt.Errorf("the sale has not come to rest (--settle): %w", err)
		}
	}
	steps := []struct {
		source check.Source
		load   func() error
	}{
		{check.Provider, func() (err error) { e.Payments, err = check.LoadPayments(ctx, o.fakepay); return }},
		{check.Grants, func() (err error) { e.Grants, err = check.LoadGrants(strings.Split(o.grants, ","), o.room); return }},
		{check.History, func() (err error) { e.History, err = history.Load(o.history); return }},
		{check.Recorder, func() (err error) { e.Requests, err = record.Load(o.record); return }},
		{check.PassKeys, func() (err error) { e.Keys, err = o.keys(ctx, e.History); return }},
	}
	for _, step := range steps {
		if !needs(step.source) {
			continue
		}
		if err := step.load(); err != nil {
			done()
			return nil, nil, fmt.Errorf("--%s: %w", step.source, err)
		}
	}
	return e, done, nil
}

// keys takes the pass keys from where the flag says, or from the history.
func (o *checkOptions) keys(ctx context.Context, spans []history.Span) (map[string]ed25519.PublicKey, error) {
	switch {
	case strings.HasPrefix(o.jwks, "http://"), strings.HasPrefix(o.jwks, "https://"):
		return check.LoadKeys(ctx, o.jwks)
	case o.jwks != "":
		set, err := os.ReadFile(o.jwks)
		if err != nil {
			return nil, err
		}
		return check.ParseKeys(set)
	}
	if spans == nil {
		var err error
		if spans, err = history.Load(o.history); err != nil {
			return nil, err
		}
	}
	for _, s := range spans {
		if s.Begin.F == buyer.KeysOp && s.End.Type == history.OK {
			return check.ParseKeys(s.End.Result)
		}
	}
	return nil, errors.New("the history has none; give the address of the room's jwks.json")
}

// shown bounds how many findings of one invariant are printed for people.
const shown = 5

func printFindings(list []check.Invariant, found []check.Finding) error {
	for _, inv := range list {
		n := check.Count(found, inv.ID)
		word := "holds"
		if n > 0 {
			word = fmt.Sprintf("BROKEN, %d times", n)
		}
		fmt.Fprintf(os.Stderr, "%-3s %s: %s\n", inv.ID, inv.Statement, word)
		left := shown
		for _, f := range found {
			if f.Invariant == inv.ID && left > 0 {
				left--
				evidence, err := json.Marshal(f.Evidence)
				if err != nil {
					return err
				}
				fmt.Fprintf(os.Stderr, "      %s\n      %s\n", f.What, evidence)
			}
		}
	}
	return nil
}

func printJSON(list []check.Invariant, found []check.Finding) error {
	checked := make([]string, len(list))
	for i, inv := range list {
		checked[i] = inv.ID
	}
	if found == nil {
		found = []check.Finding{}
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"checked": checked, "findings": found})
}
