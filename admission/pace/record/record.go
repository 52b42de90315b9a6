package record

import (
	"time"

	"github.com/ropeline/ropeline/admission/pace/report"
)

// Record is one decision: the document that was shown, without what is only drawn, and what it was made from.
type Record struct {
	At   time.Time `json:"at"`   // the store's clock; first, since readers look for it
	Edge string    `json:"edge"` // that decided
	report.Document
	X      int64   `json:"x"`               // entry times given so far
	Holds  string  `json:"holds,omitempty"` // why fewer places are called than `release` says
	Model  float64 `json:"model,omitempty"` // smallest of resources and stock
	Setup  *Setup  `json:"setup,omitempty"` // each minute, and when it changed
	Inputs Inputs  `json:"inputs"`
}

// Inputs is what came in since the decision before.
type Inputs struct {
	Seconds  float64            `json:"seconds"`
	Claims   float64            `json:"claims"`
	Requests map[string]float64 `json:"requests,omitempty"` // of sessions, by kind
	// What a replay needs: who came how many seconds after being called, and what was asked for at which age, in buckets of
	// pace.AgeBucket seconds.
	After        Counts             `json:"claims_after,omitempty"`
	Ages         map[string]Counts  `json:"requests_at,omitempty"`
	P99          float64            `json:"p99"`
	RecentP99    float64            `json:"p99_3s"`
	Failed       float64            `json:"failed"`
	RecentFailed float64            `json:"failed_3s"`
	Asked        int64              `json:"asked"` // answers that p99 and failed are of
	Flight       float64            `json:"flight"`
	Readings     map[string]Reading `json:"readings,omitempty"`
}

// Reading is what a resource told.
type Reading struct {
	Age      float64            `json:"age"` // seconds
	Seconds  float64            `json:"seconds"`
	Busy     float64            `json:"busy"`
	Capacity float64            `json:"capacity"`
	Waiting  float64            `json:"waiting"`
	Done     map[string]float64 `json:"done,omitempty"`
}
