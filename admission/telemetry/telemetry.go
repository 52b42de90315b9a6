package telemetry

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"
)

const (
	// MaxBytes is the longest document that is read.
	MaxBytes = 64 << 10
	// BucketSeconds is the width of one bucket of Stock.Expiring.
	BucketSeconds = 5
)

// Answer is one instance's document.
type Answer struct {
	Instance  string    `json:"instance"`
	StartedAt time.Time `json:"started_at"`
	At        time.Time `json:"at"`

	Resources map[string]Resource `json:"resources,omitempty"`
	// LockWait is the p99 of the waits for locks over the last ten seconds.
	LockWait *float64 `json:"lock_wait_seconds,omitempty"`
	// PaymentLatency is the mean time that calls to the payment provider took over the last ten seconds.
	PaymentLatency *float64 `json:"payment_latency_seconds,omitempty"`
	Stock          *Stock   `json:"stock,omitempty"`
}

// Resource is a pool of servers, connections or slots.
type Resource struct {
	BusySeconds float64            `json:"busy_seconds"` // grows
	Capacity    float64            `json:"capacity"`     // now
	Waiting     float64            `json:"waiting"`      // requests that wait for it now
	Completed   map[string]float64 `json:"completed"`    // grows; by kind: page, hold, pay, confirm, other
}

// Stock is what can be sold at the moment, over everything that this origin sells behind the room.
type Stock struct {
	Available int64 `json:"available"`
	Held      int64 `json:"held"`
	Sold      int64 `json:"sold"`
	Total     int64 `json:"total"`
	// Expiring counts the seats whose hold ends in each of the next buckets of BucketSeconds, if nobody pays.
	Expiring []int64 `json:"expiring,omitempty"`
}

// Decode reads a document and refuses what no origin can mean, naming the field.
func Decode(r io.Reader) (*Answer, error) {
	var a Answer
	if err := json.NewDecoder(io.LimitReader(r, MaxBytes)).Decode(&a); err != nil {
		return nil, fmt.Errorf("telemetry: not the JSON document that is expected (at most %d bytes): %w", MaxBytes, err)
	}
	if err := a.check(); err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	return &a, nil
}

func (a *Answer) check() error {
	switch {
	case a.Instance == "":
		return fmt.Errorf("instance is missing: give each process a name of its own")
	case a.StartedAt.IsZero():
		return fmt.Errorf("started_at is missing: write when the process started, as RFC 3339")
	case a.At.IsZero():
		return fmt.Errorf("at is missing: write when the counters were read, as RFC 3339")
	}
	for name, r := range a.Resources {
		for _, f := range []struct {
			field string
			value float64
		}{{"busy_seconds", r.BusySeconds}, {"capacity", r.Capacity}, {"waiting", r.Waiting}} {
			if !counts(f.value) {
				return fmt.Errorf("resources.%s.%s is %v: write a number of 0 or more", name, f.field, f.value)
			}
		}
		for kind, n := range r.Completed {
			if !counts(n) {
				return fmt.Errorf("resources.%s.completed.%s is %v: write a number of 0 or more", name, kind, n)
			}
		}
	}
	for name, v := range map[string]*float64{"lock_wait_seconds": a.LockWait, "payment_latency_seconds": a.PaymentLatency} {
		if v != nil && !counts(*v) {
			return fmt.Errorf("%s is %v: write seconds, 0 or more", name, *v)
		}
	}
	if s := a.Stock; s != nil {
		if s.Available < 0 || s.Held < 0 || s.Sold < 0 || s.Total < 0 {
			return fmt.Errorf("stock has a negative number: %+v", *s)
		}
		for i, n := range s.Expiring {
			if n < 0 {
				return fmt.Errorf("stock.expiring[%d] is %d: write 0 or more", i, n)
			}
		}
	}
	return nil
}

func counts(v float64) bool { return v >= 0 && !math.IsNaN(v) && !math.IsInf(v, 0) }
