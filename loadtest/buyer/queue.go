package buyer

import (
	"context"
	"net/http"
	"time"
)

const (
	statePrequeue = "prequeue"
	stateOpen     = "open"
	stateMerging  = "merging"
	stateClosed   = "closed"

	pollLow, pollHigh   = time.Second, 10 * time.Second // between two looks at the status document
	knockLow, knockHigh = time.Second, 2 * time.Second  // between two knocks
	mergingLook         = 100 * time.Millisecond        // between two looks while the room gathers itself
	rumour              = 4 * time.Second               // how long "sold out" needs to reach people in line
	polite              = 0.2                           // share of those who give up in line and say so; the others close the page
	presence            = 20 * time.Second              // between two heartbeats
	afterOpening        = 2 * time.Second               // over which early ones ask for their place
	passCookie          = "rl-p-"                       // part of the pass cookie's name
	ticketCookie        = "rl-t-"                       // of the ticket's
	maxHurdles          = 200                           // answers in line that lead nowhere, before a buyer despairs
)

// status is the public document, the same for everybody.
type status struct {
	State   string `json:"state"`
	X0      int64  `json:"x0"`
	X1      int64  `json:"x1"`
	At      int64  `json:"at"`       // unix ms: from when X moves from x0 to x1, within a second
	OpensAt int64  `json:"opens_at"` // unix ms; 0: by hand
}

// opening is the announced time, zero when there is none.
func (s status) opening() time.Time {
	if s.OpensAt == 0 {
		return time.Time{}
	}
	return time.UnixMilli(s.OpensAt)
}

// standing is an answer to knock, enter or heartbeat.
type standing struct {
	State   string  `json:"state"`
	Place   *int64  `json:"place"`
	EntryIn float64 `json:"entry_in_ms"`
	RetryIn float64 `json:"retry_in_ms"`
}

func (s standing) retry() time.Duration { return millis(s.RetryIn) }

func millis(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

// queue takes the buyer from the first page to a pass. how is set when the way
// ends before that.
func (b *buyer) queue(ctx context.Context) (in bool, how Outcome) {
	page := request{f: "arrive", method: http.MethodGet, path: b.Page, navigate: true}
	r := b.do(ctx, page)
	for range maxHurdles {
		if b.has(passCookie) || b.has(ticketCookie) || r.good() || ctx.Err() != nil {
			break // let in at once, in line, or there is no line
		}
		sleep(ctx, max(r.retryAfter, b.between(knockLow, knockHigh)))
		r = b.do(ctx, page)
	}
	switch {
	case b.has(passCookie), r.good() && !b.has(ticketCookie):
		return true, ""
	case !b.has(ticketCookie):
		b.refusal("arrive", r)
		return false, Refused
	case b.chance(b.Shares.Ghost):
		return false, Ghost
	}
	return b.wait(ctx)
}

// wait is the waiting page's loop: look at the public document, say now and then
// that one is still there, and knock only when the line has come to one's place.
func (b *buyer) wait(ctx context.Context) (in bool, how Outcome) {
	var heard time.Time // when the last heartbeat was
	for hurdles := 0; hurdles < maxHurdles; {
		s, ok := b.status(ctx)
		pause := b.between(pollLow, 2*pollLow)
		switch {
		case ctx.Err() != nil:
			return false, TimeIsUp
		case b.over():
			sleep(ctx, b.upTo(rumour))
			if b.chance(polite) {
				b.do(context.WithoutCancel(ctx), request{f: "leave", method: http.MethodPost, path: b.reserved + "leave"})
			}
			return false, GaveUp
		case !ok:
			hurdles++
		case s.State == stateClosed:
			return false, GaveUp
		case s.State != stateOpen:
			pause = b.beforeOpening(s)
		case b.place < 0 || time.Since(heard) > presence:
			heard = time.Now()
			if pause, ok = b.heartbeat(ctx); !ok {
				hurdles++
			}
			if b.place >= 0 {
				pause = min(pause, b.callIn(s))
			}
		case b.callIn(s) <= 0:
			switch b.knock(ctx) {
			case knockedIn:
				return true, ""
			case knockedOut:
				return false, Refused
			}
			pause = 0 // it waited at the door, and left it without being let in
		default:
			pause = b.callIn(s)
		}
		b.rest(ctx, pause)
	}
	b.refusal("wait", reply{})
	return false, Refused
}

// rest waits, and wakes up early when everything is sold.
func (b *buyer) rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-b.soldOut:
	case <-ctx.Done():
	}
}

func (b *buyer) status(ctx context.Context) (s status, ok bool) {
	r := b.do(ctx, request{f: "status", method: http.MethodGet, path: b.reserved + "status"})
	r.decode(&s)
	return s, r.good()
}

// beforeOpening polls slowly, and comes back just after the announced time.
func (b *buyer) beforeOpening(s status) time.Duration {
	left := time.Until(s.opening())
	if s.State != statePrequeue || left <= 0 {
		return b.between(pollLow, 2*pollLow) // by hand, drawing, paused: it may move any moment
	}
	return min(b.between(pollHigh/2, pollHigh), left+b.upTo(afterOpening))
}

// heartbeat says that one is still there and hears one's place.
func (b *buyer) heartbeat(ctx context.Context) (next time.Duration, ok bool) {
	r := b.do(ctx, request{f: "heartbeat", method: http.MethodPost, path: b.reserved + "heartbeat"})
	var s standing
	r.decode(&s)
	if r.good() && s.Place != nil {
		b.place = *s.Place
	}
	return min(max(s.retry(), pollLow), pollHigh), r.good()
}

// callIn is how long to wait before knocking or, far back, before looking again:
// within the present second places are called one after the other from X0 to X1.
func (b *buyer) callIn(s status) time.Duration {
	switch {
	case b.place < s.X0:
		return 0
	case b.place < s.X1:
		share := float64(b.place-s.X0) / float64(s.X1-s.X0)
		return max(0, time.Until(time.UnixMilli(s.At+int64(1000*share))))
	}
	// A second for those next to it, longer the more people are in between.
	far := time.Duration(b.place-s.X1) * 10 * time.Millisecond
	return min(max(far, pollLow), pollHigh) + b.upTo(pollLow/2)
}

type knocked int

const (
	knockedIn  knocked = iota // has a pass
	knockedOut                // never will
	notYet                    // back to waiting
)

// knock stands at the door until the grant comes.
func (b *buyer) knock(ctx context.Context) knocked {
	for range maxHurdles {
		if ctx.Err() != nil || b.over() {
			return notYet
		}
		r := b.do(ctx, request{f: "knock", method: http.MethodPost, path: b.reserved + "knock"})
		var s standing
		r.decode(&s)
		if s.Place != nil {
			b.place = *s.Place
		}
		switch {
		case !r.good():
			sleep(ctx, max(r.retryAfter, b.between(knockLow, knockHigh)))
		case s.State == "granted", s.State == "in":
			sleep(ctx, millis(s.EntryIn))
			if b.enter(ctx) {
				return knockedIn
			}
		case s.State == "used":
			b.refusal("knock", reply{Answer: r.Answer})
			return knockedOut
		case s.State == "waiting", s.State == "paused", s.State == "sold_out", s.State == "closed":
			sleep(ctx, max(s.retry(), pollLow))
			return notYet
		default:
			sleep(ctx, max(min(s.retry(), knockHigh), b.between(knockLow, knockHigh)))
		}
	}
	return notYet
}

// enter picks the pass up. A refusal is a standing like a knock's.
func (b *buyer) enter(ctx context.Context) bool {
	r := b.do(ctx, request{f: "enter", method: http.MethodPost, path: b.reserved + "enter"})
	if r.good() && b.has(passCookie) {
		b.renewed = time.Now()
		return true
	}
	var s standing
	r.decode(&s)
	sleep(ctx, max(millis(s.EntryIn), min(s.retry(), knockHigh)))
	return false
}
