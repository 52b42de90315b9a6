package api

import (
	"errors"
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/ropeline/ropeline/core/api/turnstile"
	"github.com/ropeline/ropeline/core/booking"
	"github.com/ropeline/ropeline/core/problem"
)

const (
	// The objectives of the line inside, those of the admission controller: a hold and the start of a payment within a
	// second, a connection within a fifth of one.
	insideObjective = time.Second
	waitObjective   = 200 * time.Millisecond

	// paymentShare of the provider's slots may be taken: captures and voids need some, too.
	paymentShare = 0.85
	// insideFloor requests may always be inside: one for each lane, so that the line can see that it is better.
	insideFloor = 4
	insideStep  = time.Second
)

var (
	errInsideFull = &problem.Error{Status: http.StatusServiceUnavailable, Code: "crowded",
		Detail: "Very many people are buying at this moment, and as many as can wait are waiting. Nothing was changed; please try again in a moment."}
	errInsideTime = &problem.Error{Status: http.StatusServiceUnavailable, Code: "crowded",
		Detail: "Your request has waited its turn and it did not come in time. Nothing was changed; please try again in a moment."}
)

// inside is the line before one kind of call: see package turnstile.
type inside struct {
	line   turnstile.Line
	limit  turnstile.Limiter
	usage  func() booking.Usage
	beside func(booking.Usage) (taken int, of float64) // what else bounds it; nil: nothing

	mu      sync.Mutex
	allowed float64
	next    time.Time
	taken   int
	of      float64
}

// newInside: holds and payments have lines of their own, so that those who pay never stand behind those who choose.
func newInside(usage func() booking.Usage) map[pace]*inside {
	all := map[pace]*inside{holding: {}, paying: {beside: paymentSlots}}
	for _, in := range all {
		in.usage = usage
		// A lane's connection serves a batch at once, so the capacity is counted in requests.
		in.limit = turnstile.Limiter{Floor: insideFloor, Ceiling: headroom(booking.AtOnce) * booking.AtOnce}
		in.allowed, in.of = in.limit.Ceiling, math.Inf(1)
		in.line.May = in.may
	}
	return all
}

// paymentSlots: a payment that is accepted becomes a call to the provider at once; beyond its slots it would wait where
// nobody tells the buyer, with the time of the hold running.
func paymentSlots(u booking.Usage) (int, float64) {
	return u.Payments.InUse, max(1, math.Floor(paymentShare*u.PaymentSlots))
}

// headroom is the share of a pool of c that may be busy: small ones need more room for chance.
func headroom(c float64) float64 { return max(0.1, min(0.88, 1-0.75/math.Sqrt(c))) }

// may is asked under the line's lock.
func (in *inside) may(n int) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.beside != nil {
		in.taken, in.of = in.beside(in.usage())
	}
	return float64(n) < in.allowed && float64(n+in.taken) < in.of
}

// watch moves the limit once a second, by whoever comes by.
func (in *inside) watch(now time.Time) {
	in.mu.Lock()
	due := !now.Before(in.next)
	if due {
		in.next = now.Add(insideStep)
	}
	in.mu.Unlock()
	if !due {
		return
	}
	s, u := in.line.Read(), in.usage()
	worst := max(s.P99.Seconds()/insideObjective.Seconds(), waitNow(u).Seconds()/waitObjective.Seconds())
	seen := turnstile.Seen{Peak: s.Peak, Worst: worst, Stuck: s.Still > insideObjective}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.allowed = in.limit.Step(seen)
}

func (in *inside) limitNow() float64 {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.allowed
}

// waitNow is the wait for a connection while there is one: the p99 of a quiet shop's last ten seconds may be the one
// connection that was dialled in them.
func waitNow(u booking.Usage) time.Duration {
	if u.Database.Waiting == 0 {
		return 0
	}
	return u.Database.Wait
}

// inTurn waits until a call may be carried out. leave is never nil.
func (a *API) inTurn(w http.ResponseWriter, r *http.Request, rt *route) (leave func(), err error) {
	in := a.inside[rt.pace]
	if in == nil {
		return func() {}, nil
	}
	in.watch(time.Now())
	began := time.Now()
	out, err := in.line.Enter(r.Context(), func() { more(w) })
	a.metrics.waited.WithLabelValues(rt.name).Observe(time.Since(began).Seconds())
	if err == nil {
		// Also on the way out: when nobody new comes, those who wait are waiting for a limit that grows again.
		return func() { out(); in.watch(time.Now()) }, nil
	}
	return func() {}, in.refusal(err)
}

// refusal is what to tell whoever did not get in.
func (in *inside) refusal(err error) error {
	var p *problem.Error
	switch {
	case errors.Is(err, turnstile.ErrFull):
		p = errInsideFull.With("why", "full")
	case errors.Is(err, turnstile.ErrTime):
		p = errInsideTime.With("why", "time")
	default:
		return err // gone away
	}
	p.RetryAfter = in.line.RetryAfter()
	return p
}

// more gives a request that waits the time for it. The server's deadlines are for those that are carried out at once, and
// the one for reading, left in place, would even end the request's context: it reads on to notice a client that goes.
func more(w http.ResponseWriter) {
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Time{})
	_ = c.SetWriteDeadline(time.Now().Add(turnstile.Longest + 30*time.Second))
}

// waiting adds up who waits before holds and payments.
func (a *API) waiting(p pace) int {
	n, _ := a.inside[p].line.Waiting()
	return n
}
