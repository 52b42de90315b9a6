package booking

import (
	"time"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/money"
)

// Stamp is a time as the API writes it: RFC 3339, UTC, milliseconds.
type Stamp time.Time

const stampLayout = "2006-01-02T15:04:05.000Z"

// MarshalJSON writes the time.
func (s Stamp) MarshalJSON() ([]byte, error) {
	return []byte(`"` + time.Time(s).UTC().Format(stampLayout) + `"`), nil
}

// UnmarshalJSON reads it back.
func (s *Stamp) UnmarshalJSON(b []byte) error {
	t, err := time.Parse(`"`+time.RFC3339+`"`, string(b))
	*s = Stamp(t)
	return err
}

// HoldView is a hold as the API shows it.
type HoldView struct {
	ID         uuid.UUID      `json:"id"`
	Event      string         `json:"event"`
	State      string         `json:"state"` // active, expired, sold, released
	Lines      []LineView     `json:"lines"`
	Amount     int64          `json:"amount"` // minor units
	Currency   money.Currency `json:"currency"`
	ExpiresAt  Stamp          `json:"expires_at"`
	ServerTime Stamp          `json:"server_time"`
	Version    int64          `json:"version"` // of the event's map
}

// LineView is one seat or a quantity of an area or class.
type LineView struct {
	Line     int16  `json:"line"`
	Seat     *int32 `json:"seat"`
	Label    string `json:"label"`
	Counter  *int64 `json:"counter"`
	Class    string `json:"class,omitempty"` // ticket type it is taken as; "": the counter's own class
	Quantity int    `json:"quantity"`
	Price    int64  `json:"price"`              // of one place, minor units
	Fare     string `json:"fare,omitempty"`     // name of that price; of orders only: the hot path does not read it
	Returned bool   `json:"returned,omitempty"` // of a paid order: given back
}

func viewLine(l *hold.Line, label string) LineView {
	v := LineView{Line: l.N, Label: label, Class: l.Class, Quantity: l.Qty, Price: l.Price}
	if l.Seat != 0 {
		v.Seat = &l.Seat
	}
	if l.Counter != 0 {
		v.Counter = &l.Counter
	}
	return v
}

func viewHold(w *hold.World, h *hold.Hold, version int64) HoldView {
	v := HoldView{
		ID: h.ID, Event: w.Event(h.EventID).Slug, State: h.StateAt(w.Now).String(), Amount: h.Amount, Currency: h.Currency,
		ExpiresAt: Stamp(h.HeldUntil), ServerTime: Stamp(w.Now), Version: version, Lines: make([]LineView, len(h.Lines)),
	}
	for i, l := range h.Lines {
		v.Lines[i] = viewLine(l, w.Label(h.EventID, l))
	}
	return v
}
