package line

import (
	"fmt"
	"strings"
)

// parseEvent reads what emit of prelude.lua wrote: seq now rt epoch term kind vid index place a b c d.
func parseEvent(text string) (Event, error) {
	f := strings.Split(text, " ")
	if len(f) != 13 {
		return Event{}, fmt.Errorf("an event of %d parts", len(f))
	}
	e := Event{
		Seq: num(f[0]), T: num(f[1]) / 1000, RT: micros(f[2]), Epoch: num(f[3]), Term: num(f[4]), Kind: f[5],
		Index: optional(f[7]), Place: optional(f[8]),
	}
	if f[6] != "-" {
		e.Vid = f[6]
	}
	a, b, c, d := f[9], f[10], f[11], f[12]
	switch e.Kind {
	case EventRoom:
		e.State, e.Rate, e.Cap = a, perSecond(b), optional(c)
		opens, why, _ := strings.Cut(d, ":")
		e.OpensAt, e.Reason = optional(opens), why
		e.Rebuilt = why == "rebuilt"
	case EventRate:
		e.Rate = perSecond(a)
	case EventX:
		e.X = optional(a)
	case EventGrant:
		ms := micros(a)
		e.EntryMS, e.Live, e.Cap, e.Rate = &ms, optional(b), optional(c), perSecond(d)
	case EventPickup:
		ms := micros(a)
		e.EntryMS = &ms
	case EventExpire:
		e.Reason = a
	case EventDraw:
		e.N, e.Seed, e.Root = optional(a), b, c
	}
	return e, nil
}

func optional(s string) *int64 {
	if s == "-" {
		return nil
	}
	n := num(s)
	return &n
}

// micros turns microseconds into milliseconds with three decimals, which a float64 holds exactly enough: room
// time stays below 2^53 microseconds for 285 years.
func micros(s string) float64 { return float64(num(s)) / 1000 }

// perSecond is the rate in force: the reciprocal of the gap that the script used, so that entry times can be
// checked against exactly it.
func perSecond(gap string) *float64 {
	rate := 0.0
	if g := num(gap); g > 0 {
		rate = 1e6 / float64(g)
	}
	return &rate
}
