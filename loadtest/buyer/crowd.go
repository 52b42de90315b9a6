package buyer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ropeline/ropeline/loadtest/history"
)

// Outcome says how one buyer's day ended.
type Outcome string

const (
	Bought     Outcome = "bought"
	SoldOut    Outcome = "sold_out"    // inside, and everything was gone
	GaveUp     Outcome = "gave_up"     // heard in the line that everything is gone, or nothing came free in time
	WalkedAway Outcome = "walked_away" // held or ordered and said nothing more
	Ghost      Outcome = "ghost"       // joined and never knocked
	Refused    Outcome = "refused"     // something that should have worked was refused, or did not end
	TimeIsUp   Outcome = "time_is_up"  // the sale's time limit came first
)

// Report is what the crowd did, in its own words; the checks do not rely on it.
type Report struct {
	Buyers   int             `json:"buyers"`
	Outcomes map[Outcome]int `json:"outcomes"`
	Refusals map[string]int  `json:"refusals,omitempty"` // what was refused, by operation and code
	Seconds  float64         `json:"seconds"`
}

// crowd is what its buyers share: addresses, the clock of the sale, and rumours.
type crowd struct {
	Config
	http     *http.Client
	opens    time.Time    // when the room opens; now when it is open
	walked   atomic.Int64 // how many have walked away
	reserved string
	signing  chan struct{} // held while one signs in

	rumour  sync.Once
	soldOut chan struct{} // closed when somebody inside saw that every seat is sold

	mu     sync.Mutex
	report Report
}

// maxSigning buyers sign in at once: fewer than bookingd has connections, so that signing in does not take them all.
const maxSigning = 8

// Run lets the crowd buy and returns when the last of them is gone, or ctx ends.
func Run(ctx context.Context, conf Config) (Report, error) {
	if err := conf.Validate(); err != nil {
		return Report{}, err
	}
	if conf.History == nil {
		return Report{}, errors.New("no history to write what the buyers see")
	}
	began := time.Now()
	transport := newTransport()
	defer transport.CloseIdleConnections()
	c := &crowd{
		Config:   conf,
		reserved: "/.well-known/ropeline/" + conf.Room + "/",
		http: &http.Client{Transport: transport, Timeout: callLimit,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		soldOut: make(chan struct{}),
		signing: make(chan struct{}, maxSigning),
		report:  Report{Buyers: conf.Buyers, Outcomes: map[Outcome]int{}, Refusals: map[string]int{}},
	}
	if err := c.look(ctx); err != nil {
		return Report{}, err
	}
	var all sync.WaitGroup
	for id := 1; id <= conf.Buyers; id++ {
		all.Go(func() {
			how := c.newBuyer(id).day(ctx)
			c.mu.Lock()
			c.report.Outcomes[how]++
			c.mu.Unlock()
		})
	}
	all.Wait()
	c.report.Seconds = time.Since(began).Seconds()
	return c.report, nil
}

// look reads the status document and the pass keys once before the sale. The keys
// go into the history: a verdict on passes then needs no edge that still runs.
func (c *crowd) look(ctx context.Context) error {
	me := c.newClient(0)
	var s status
	for try := 0; ; try++ {
		r := me.do(ctx, request{f: "status", method: http.MethodGet, path: c.reserved + "status"})
		if !r.good() {
			return fmt.Errorf("%s%sstatus: %s: is the edge up, and is the room called %q?", c.Edge, c.reserved, r.describe(), c.Room)
		}
		// An edge that has just started asks its room first what other edges know; until then nobody knows when it opens.
		if r.decode(&s); s.State != stateMerging || try == maxHurdles || !sleep(ctx, mergingLook) {
			break
		}
	}
	c.opens = time.Now()
	if s.State == statePrequeue {
		c.opens = s.opening()
		if c.opens.IsZero() { // by hand: nobody knows when
			c.opens = time.Now().Add(c.EarlyFor)
		}
	}
	op := c.History.Begin(0, KeysOp, nil)
	keys, err := me.send(ctx, request{method: http.MethodGet, path: c.reserved + "jwks.json"})
	if err != nil || !keys.good() || !json.Valid(keys.body) {
		return fmt.Errorf("%s%sjwks.json: %s %v", c.Edge, c.reserved, keys.describe(), err)
	}
	op.End(history.OK, json.RawMessage(keys.body))
	return nil
}

// KeysOp is the operation whose result is the room's JWKS.
const KeysOp = "jwks"

func (c *crowd) newClient(id int) *client {
	return &client{id: id, edge: c.Edge, http: c.http, history: c.History, cookies: map[string]string{}}
}

// spread tells everybody that all is sold.
func (c *crowd) spread() { c.rumour.Do(func() { close(c.soldOut) }) }

func (c *crowd) over() bool {
	select {
	case <-c.soldOut:
		return true
	default:
		return false
	}
}

// refusal counts what should have worked and did not.
func (c *crowd) refusal(f string, r reply) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.report.Refusals[f+": "+r.describe()]++
}

func (r reply) describe() string {
	switch {
	case r.Status == 0:
		return "no answer: " + r.Error
	case r.Wait:
		return fmt.Sprintf("%d, asked to wait", r.Status)
	case r.Code != "":
		return fmt.Sprintf("%d %s", r.Status, r.Code)
	}
	return fmt.Sprint(r.Status)
}

// sleep waits and says whether the sale still goes on.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
