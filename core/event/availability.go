package event

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ropeline/ropeline/seatmap"
)

// Availability is what of an event is free: a snapshot of one statement.
type Availability struct {
	Event    string             `json:"event"`
	Version  int64              `json:"version"` // of the map; grows with every change
	AsOf     Time               `json:"as_of"`   // by the database's clock
	Count    int                `json:"count"`   // seats
	States   []byte             `json:"states"`  // package seatmap; base64 in JSON
	Counters []CounterAvailable `json:"counters"`

	// Tag names the content: equal tags, equal states and counters, whichever
	// process built it. Holds end without any write, so the version alone does not.
	Tag string `json:"-"`
	// Document is all of the above as it is sent, encoded once for everybody.
	Document Document `json:"-"`
}

// CounterAvailable is what is left of one counter.
type CounterAvailable struct {
	ID        int64 `json:"id"`
	Available int   `json:"available"`
}

// Seats returns the availability, at most Life old and built once for everybody
// who asks meanwhile.
func (c *Catalogue) Seats(ctx context.Context, slug string) (*Availability, error) {
	return c.seats.get(ctx, slug, func(ctx context.Context) (*Availability, error) { return c.readSeats(ctx, slug) })
}

func (c *Catalogue) readSeats(ctx context.Context, slug string) (*Availability, error) {
	a := &Availability{Event: slug, Counters: []CounterAvailable{}}
	var digits string
	var counters []byte
	var asOf time.Time
	if err := c.db.QueryRow(ctx, sqlSeats, slug).Scan(&a.Version, &asOf, &digits, &counters); err != nil {
		return nil, notFoundOr("read seats of "+slug, err)
	}
	a.AsOf = Time{asOf}
	a.Count = len(digits)
	states := make([]seatmap.State, len(digits))
	for i := range states {
		states[i] = seatmap.State(digits[i] - '0')
	}
	a.States = seatmap.Pack(states)
	if err := json.Unmarshal(counters, &a.Counters); err != nil {
		return nil, fmt.Errorf("read counters of %s: %w", slug, err)
	}
	a.Tag = a.tag()
	doc, err := json.Marshal(a)
	if err != nil {
		return nil, fmt.Errorf("encode seats of %s: %w", slug, err)
	}
	a.Document, err = newDocument(doc)
	return a, err
}

func (a *Availability) tag() string {
	h := sha256.New()
	fmt.Fprintf(h, "%d %d %v ", a.Version, a.Count, a.Counters)
	h.Write(a.States)
	return fmt.Sprintf("%d.%s", a.Version, hex.EncodeToString(h.Sum(nil)[:8]))
}
