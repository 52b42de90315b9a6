package lead

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/ropeline/ropeline/admission/pace"
)

// Bounds of an operator's words.
const (
	MaxWho = 100 // bytes
	MaxWhy = 300
)

// Order is an operator's word as the room keeps it. Until is by the store's clock.
type Order struct {
	Mode  string  `json:"mode"`
	Rate  float64 `json:"rate,omitempty"`
	Who   string  `json:"who"`
	Why   string  `json:"why"`
	Until int64   `json:"until"` // unix ms
}

// NewOrder checks what an operator wrote.
func NewOrder(mode pace.Mode, rate float64, who, why string, now time.Time, length time.Duration) (Order, error) {
	if len(who) > MaxWho || len(why) > MaxWhy {
		return Order{}, fmt.Errorf("who or why is too long: at most %d and %d bytes", MaxWho, MaxWhy)
	}
	o, err := pace.NewOverride(mode, rate, who, why, now, length)
	if err != nil {
		return Order{}, err
	}
	return Order{Mode: o.Mode.String(), Rate: o.Rate, Who: o.Who, Why: o.Why, Until: o.Until.UnixMilli()}, nil
}

// Text is the order as the room keeps it.
func (o Order) Text() string {
	b, err := json.Marshal(o)
	if err != nil { // no field of an Order can fail to encode: NewOrder refuses what is no number
		panic("lead: order: " + err.Error())
	}
	return string(b)
}

// ParseOrder reads Text. What is not one, or is over at now, is none.
func ParseOrder(text string, now time.Time) (o Order, mode pace.Mode, ok bool) {
	if text == "" || json.Unmarshal([]byte(text), &o) != nil {
		return Order{}, pace.Auto, false
	}
	mode, err := pace.ParseMode(o.Mode)
	if err != nil || mode == pace.Auto || o.Until <= now.UnixMilli() {
		return Order{}, pace.Auto, false
	}
	return o, mode, true
}
