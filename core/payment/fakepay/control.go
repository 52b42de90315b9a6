package fakepay

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Control is what POST /control takes; it replaces the whole setting. GET
// /control shows it, DELETE /control clears it.
type Control struct {
	// Mode is "two_step" (default: authorize, then capture) or "one_step".
	Mode string `json:"mode,omitempty"`
	// NoKeys ignores idempotency keys: the same request again is another payment.
	NoKeys bool `json:"no_keys,omitempty"`
	// PerSecond is the contract's limit: requests beyond it are answered 429, and have
	// no effect. 0 means none.
	PerSecond float64 `json:"per_second,omitempty"`
	// Faults are tried in order; the first that fits a request is used.
	Faults []Fault `json:"faults,omitempty"`
	// Webhooks says what happens to notices on their way.
	Webhooks WebhookControl `json:"webhooks"`
	// Settlement are errors planted into each settlement report.
	Settlement []Defect `json:"settlement,omitempty"`
}

// Fault breaks requests of one kind.
type Fault struct {
	// Op: authorize, capture, void, refund, lookup, settlement, or "" for all.
	Op string `json:"op,omitempty"`
	// Kind: see kinds below.
	Kind string `json:"kind"`
	// Times is how often it strikes; 0 means until cleared.
	Times int `json:"times,omitempty"`
	// Probability from 0 to 1; 0 means always.
	Probability float64 `json:"probability,omitempty"`
	// Delay for kind delay and the time-outs, e.g. "2s".
	Delay string `json:"delay,omitempty"`
	// Reference limits the fault to one payment.
	Reference string `json:"reference,omitempty"`

	delay time.Duration
	left  int
}

// The kinds of fault.
const (
	FaultDelay         = "delay"          // answer later by Delay
	FaultTimeoutBefore = "timeout_before" // no effect, no answer for Delay (30 s)
	FaultTimeoutAfter  = "timeout_after"  // effect, no answer for Delay (30 s)
	FaultDrop          = "drop"           // effect, the connection is cut instead of an answer
	FaultReset         = "reset"          // no effect, the connection is cut
	FaultHalf          = "half"           // effect, the connection is cut in mid-answer
	Fault500           = "500"            // no effect, status 500
	Fault500After      = "500_after"      // effect, status 500
	Fault429           = "429"            // no effect, status 429
	FaultEmpty         = "empty"          // effect, status 200 with an empty body
	FaultDecline       = "decline"        // authorize: declined; commands: refused
	FaultBalance       = "no_balance"     // refund: refused, our own balance at the provider is too low
)

var kinds = map[string]bool{
	FaultDelay: true, FaultTimeoutBefore: true, FaultTimeoutAfter: true, FaultDrop: true, FaultReset: true,
	FaultHalf: true, Fault500: true, Fault500After: true, Fault429: true, FaultEmpty: true, FaultDecline: true, FaultBalance: true,
}

var ops = map[string]bool{"": true, "authorize": true, "capture": true, "void": true, "refund": true, "lookup": true, "settlement": true}

// defaultTimeout is how long a timed-out request is left hanging.
const defaultTimeout = 30 * time.Second

// WebhookControl is what happens to notices on their way.
type WebhookControl struct {
	Off       bool `json:"off,omitempty"`       // lost for ever
	Duplicate int  `json:"duplicate,omitempty"` // so many extra copies, in parallel
	// DuplicateChance from 0 to 1 is how many of them have copies; 0 means all.
	DuplicateChance float64 `json:"duplicate_chance,omitempty"`
	Delay           string  `json:"delay,omitempty"`   // e.g. "3s"
	Reorder         bool    `json:"reorder,omitempty"` // each one waits for the next of any payment and goes after it
	delay           time.Duration
}

// controls is the current setting.
type controls struct {
	mu    sync.Mutex
	set   Control
	limit *rate.Limiter // nil: none
}

func (c *controls) replace(next Control) error {
	if next.Mode == "" {
		next.Mode = "two_step"
	}
	if next.Mode != "two_step" && next.Mode != "one_step" {
		return fmt.Errorf("mode %q: want two_step or one_step", next.Mode)
	}
	for i := range next.Faults {
		f := &next.Faults[i]
		if !kinds[f.Kind] {
			return fmt.Errorf("faults[%d].kind %q is unknown", i, f.Kind)
		}
		if !ops[f.Op] {
			return fmt.Errorf("faults[%d].op %q is unknown", i, f.Op)
		}
		if f.Probability < 0 || f.Probability > 1 {
			return fmt.Errorf("faults[%d].probability %v: want 0 to 1", i, f.Probability)
		}
		f.left, f.delay = f.Times, defaultTimeout
		if err := parseDelay(f.Delay, &f.delay); err != nil {
			return fmt.Errorf("faults[%d].delay: %w", i, err)
		}
	}
	for i, d := range next.Settlement {
		if !defects[d.Kind] {
			return fmt.Errorf("settlement[%d].kind %q is unknown", i, d.Kind)
		}
	}
	if err := parseDelay(next.Webhooks.Delay, &next.Webhooks.delay); err != nil {
		return fmt.Errorf("webhooks.delay: %w", err)
	}
	if next.PerSecond < 0 {
		return fmt.Errorf("per_second %v: want a positive number, or 0 for no limit", next.PerSecond)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set, c.limit = next, nil
	if next.PerSecond > 0 {
		c.limit = rate.NewLimiter(rate.Limit(next.PerSecond), max(1, int(next.PerSecond)))
	}
	return nil
}

// allow counts a request against the contract's limit.
func (c *controls) allow() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.limit == nil || c.limit.Allow()
}

func (c *controls) noKeys() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.set.NoKeys
}

func parseDelay(s string, d *time.Duration) error {
	if s == "" {
		return nil
	}
	v, err := time.ParseDuration(s)
	if err != nil || v < 0 {
		return fmt.Errorf("%q: want a duration such as 500ms or 2s", s)
	}
	*d = v
	return nil
}

func (c *controls) oneStep() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.set.Mode == "one_step"
}

func (c *controls) webhooks() WebhookControl {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.set.Webhooks
}

func (c *controls) defects() planting {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(planting(c.set.Settlement))
}

// strike takes the fault for a request, or the zero Fault.
func (c *controls) strike(op, reference string) Fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.set.Faults {
		f := &c.set.Faults[i]
		switch {
		case f.Op != "" && f.Op != op,
			f.Reference != "" && f.Reference != reference,
			f.Times > 0 && f.left == 0,
			f.Probability > 0 && rand.Float64() >= f.Probability:
			continue
		}
		if f.Times > 0 {
			f.left--
		}
		return *f
	}
	return Fault{}
}

func (s *Server) control(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodDelete:
		_ = s.controls.replace(Control{}) // the empty setting is valid
	case http.MethodPost:
		var next Control
		if err := decode(w, r, &next); err != nil {
			s.refuse(w, http.StatusBadRequest, "invalid_json", err.Error(), nil)
			return
		}
		if err := s.controls.replace(next); err != nil {
			s.refuse(w, http.StatusUnprocessableEntity, "invalid_control", err.Error(), nil)
			return
		}
	}
	s.controls.mu.Lock()
	b, err := json.Marshal(s.controls.set)
	s.controls.mu.Unlock()
	if err != nil {
		s.refuse(w, http.StatusInternalServerError, "internal", err.Error(), nil)
		return
	}
	writeJSON(w, http.StatusOK, b)
}
