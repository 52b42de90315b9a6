package caddymodule

import (
	"time"

	"github.com/ropeline/ropeline/admission/line"
	"github.com/ropeline/ropeline/admission/pace/lead"
)

// stockDoc is what is told to everybody about what is left to buy, where the origin says it. A hold is no sale: sold_out is
// only said when everything is confirmed as sold.
type stockDoc struct {
	State     string `json:"state"`     // open, last_seats, all_held, sold_out
	Available int64  `json:"available"` // free when it was told
	BackAt    int64  `json:"back_at"`   // unix ms of the next hold that may return; 0: nobody knows
	Until     int64  `json:"until"`     // unix ms; not to be said after it
}

// newStockDoc is nil when nobody tells it, or did too long ago.
func newStockDoc(s line.Snapshot, now time.Time) *stockDoc {
	told, ok := lead.ParseStock(s.Stock, now)
	if !ok || s.Stale {
		return nil
	}
	d := &stockDoc{State: told.State, Available: told.Seats, Until: millis(told.At.Add(lead.StockSaid))}
	if told.Back >= 0 {
		d.BackAt = millis(told.At.Add(time.Duration(told.Back) * time.Second))
	}
	return d
}

func backAt(d *stockDoc) time.Time {
	if d.BackAt == 0 {
		return time.Time{}
	}
	return time.UnixMilli(d.BackAt)
}
