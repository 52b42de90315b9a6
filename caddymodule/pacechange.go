package caddymodule

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ropeline/ropeline/admission/line"
	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/pace/lead"
	pacereport "github.com/ropeline/ropeline/admission/pace/report"
)

// whatPace is the property of the audit log that overrides change.
const whatPace = "pace"

// byHand is the reason of who gives none.
const byHand = "set by hand"

// override carries an operator's word out. A pause is the room's own, with what the page says of it; everything else is
// for the controller.
func (r *room) override(ctx context.Context, o pacereport.Order, mode pace.Mode, length time.Duration) error {
	s := r.line.Snapshot()
	_, before, had := lead.ParseOrder(s.Order, r.now())
	if mode == pace.Pause {
		return r.change(ctx, change{What: whatState, To: "paused", Who: o.Who, Why: o.Why, Until: r.now().Add(length)})
	}
	if had && before == pace.Pause && s.State == "paused" {
		if err := r.change(ctx, change{What: whatState, To: "resumed", Who: o.Who, Why: o.Why}); err != nil {
			return err
		}
	}
	text, said, until := "", mode.String(), time.Time{}
	if mode != pace.Auto {
		order, err := lead.NewOrder(mode, o.Rate, o.Who, o.Why, r.now(), length)
		if err != nil {
			return err
		}
		text, until = order.Text(), time.UnixMilli(order.Until)
	}
	if mode == pace.Pin {
		said = fmt.Sprintf("pin %.2f/s", o.Rate)
	}
	return r.order(ctx, text, change{What: whatPace, Who: o.Who, Why: o.Why, Until: until, said: said})
}

func (r *room) order(ctx context.Context, text string, c change) error {
	was := r.value(whatPace)
	if err := r.line.Order(ctx, text); err != nil {
		return err
	}
	if err := r.kept.changed(c, was, c.said); err != nil {
		r.log.Error("the end of the word to the controller will not be written down", "error", err)
	}
	r.note(c.Who, c.What, was, c.said, c.Why, c.Until)
	r.status.forget()
	return nil
}

// ordered says whether the controller's newest word is the one whose end e is: another edge may have given it another since.
func (r *room) ordered(e expiry) bool {
	var o lead.Order
	return json.Unmarshal([]byte(r.line.Snapshot().Order), &o) == nil && o.Until == e.At.UnixMilli()
}

// expiring are the changes that end by themselves.
func (r *room) expiring() map[string]expiry {
	all := r.kept.expiring()
	if e, ok := all[whatPace]; ok && !r.ordered(e) {
		delete(all, whatPace)
	}
	return all
}

// pin is `rate` in a room that finds its rate by itself: it holds for a while, and the controller goes on from it.
func (r *room) pin(ctx context.Context, c change) error {
	rate, err := line.ParseRate(c.To)
	if err != nil {
		return err
	}
	length := pace.DefaultOverride
	if !c.Until.IsZero() {
		length = c.Until.Sub(r.now())
	}
	return r.override(ctx, pacereport.Order{Mode: pacereport.Pin, Rate: rate.PerSecond(), Who: c.Who, Why: orHand(c.Why)}, pace.Pin, length)
}

// explainPause tells the controller who paused the room and why, for its sentence; the pause itself is the room's.
func (r *room) explainPause(ctx context.Context, c change) {
	if c.What != whatState || !r.conf.Load().Pace.on() {
		return
	}
	text := ""
	if c.To == "paused" || c.To == "sold_out" {
		until := c.Until
		if until.IsZero() {
			until = r.now().Add(maxFor)
		}
		order, err := lead.NewOrder(pace.Pause, 0, c.Who, orHand(c.Why), r.now(), until.Sub(r.now()))
		if err != nil {
			return
		}
		text = order.Text()
	} else if _, mode, ok := lead.ParseOrder(r.line.Snapshot().Order, r.now()); !ok || mode != pace.Pause {
		return // another word than a pause outlives it
	}
	if err := r.line.Order(ctx, text); err != nil {
		r.log.Warn("the controller is not told who changed the room's state", "error", err)
	}
}

func orHand(why string) string {
	if why == "" {
		return byHand
	}
	return why
}

// paceValue is what is said of the pace in the audit log.
func (r *room) paceValue(s line.Snapshot) string {
	o, mode, ok := lead.ParseOrder(s.Order, r.now())
	switch {
	case !ok:
		return r.conf.Load().Pace.said()
	case mode == pace.Pin:
		return fmt.Sprintf("pin %.2f/s", o.Rate)
	}
	return mode.String()
}
