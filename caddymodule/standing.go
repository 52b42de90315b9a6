package caddymodule

import (
	"errors"
	"math"
	"net/http"
	"time"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/admission/line"
)

// The states of a page and of a refusal, as one visitor sees the room.
const (
	sawWaiting  = "waiting"   // in line, the place has not been called
	sawNext     = "next"      // called: knock
	sawSchedule = "scheduled" // before prequeue_at: nobody joins yet
	sawPrequeue = "prequeue"  // gathering before the draw
	sawDrawing  = "drawing"   // frozen, the draw is being revealed
	sawPaused   = "paused"
	sawMerging  = "merging"  // the store has lost something: nobody moves, nobody loses a place
	sawSoldOut  = "sold_out" // nothing is left at the moment
	sawWork     = "work"     // a newcomer has to work for its place
	sawIdentify = "identify" // only who has signed in may join
	sawInvited  = "invited"  // only the invited may join
	sawFramed   = "framed"   // inside another site's page, where no place could be kept
	sawClosed   = "closed"
	sawLimited  = "limited" // too many newcomers from this network: no place yet
	sawKept     = "kept"    // inside, with a form to send
	sawRetry    = "retry"   // no place can be given or looked up now
	sawFresh    = "fresh"   // the visitor has no place and should ask again
)

const unknown = -1

// fullRetry is the seconds after which a program asks again at the door of a full room: less than the 10 s of a knock.
const fullRetry = 5

// standing is what one visitor is told.
type standing struct {
	State      string
	Index      int64 // unknown before a place is given
	Place      int64 // unknown before the draw
	X          int64
	Ahead      int64 // people in front; unknown before the draw
	Low, High  int64 // seconds to wait; unknown when nobody can say
	Full       bool  // called, but the room takes nobody: one goes in as one leaves
	Slow       bool  // fewer go in than the rate says: the reason of a long wait
	RetryAfter int   // seconds
	Snap       line.Snapshot

	Challenge string // what a newcomer has to solve first
	Bits      int
	To        string // where a page of the reserved prefix leads; empty: the request's own URL
	Bad       bool   // the invitation that was sent is not valid
}

func (h *Handler) standing(v visitor, snap line.Snapshot, err error) standing {
	s := standing{Index: unknown, Place: unknown, Ahead: unknown, Low: unknown, High: unknown, X: snap.X, RetryAfter: 5, Snap: snap}
	var many tooMany
	switch {
	case errors.Is(err, line.ErrClosed):
		s.State, s.RetryAfter = sawClosed, 60
		return s
	case errors.As(err, &many):
		s.State, s.RetryAfter = sawLimited, clampInt(int(many.retry/time.Second)+1, 1, 600)
		return s
	case errors.Is(err, errNotOpen):
		s.State, s.RetryAfter = sawSchedule, clampInt(int(h.room.prequeueAt().Sub(h.room.now())/time.Second)+1, 1, 60)
		return s
	case errors.As(err, new(needWork)):
		s.State, s.RetryAfter = sawWork, 5
		return s
	case errors.Is(err, errIdentify):
		s.State, s.RetryAfter = sawIdentify, 30
		return s
	case errors.Is(err, errInvited):
		s.State, s.RetryAfter = sawInvited, 60
		return s
	case errors.Is(err, errForged):
		s.State, s.RetryAfter = sawFresh, 1
		return s
	case errors.Is(err, errNoPlace):
		s.State, s.RetryAfter = stateOf(snap), 10
		return s
	case err != nil || !v.hasTicket || v.ticket.Index == admission.NoIndex:
		s.State = sawRetry
		return s
	}
	s.Index = v.ticket.Index
	s.Place = h.room.line.Place(s.Index)
	s.State = stateOf(snap)
	if s.Place >= 0 {
		s.Ahead = snap.Ahead(s.Place) + snap.Door
		if s.Place < snap.X {
			s.Ahead = 0
		}
		if s.State == sawWaiting && s.Place < snap.X {
			s.State = sawNext
		}
		// Whoever came last has all of the door before it; the others read an exact number after their first knock.
		if behind := min(snap.Door, s.Place); s.State == sawNext && h.room.full(snap, behind) {
			s.State, s.Full, s.Ahead, s.RetryAfter = sawWaiting, true, behind, fullRetry
			return s
		}
	}
	s.Low, s.High = h.room.waitRange(snap, s)
	s.Slow = h.room.slow(snap)
	s.RetryAfter = retryAfter(s, h.room.now())
	return s
}

func stateOf(snap line.Snapshot) string {
	switch snap.State {
	case "prequeue":
		return sawPrequeue
	case "drawing":
		return sawDrawing
	case "paused":
		return sawPaused
	case "closed":
		return sawClosed
	case "open", line.StatePassthrough:
		return sawWaiting
	case "merging":
		return sawMerging
	case "sold_out":
		return sawSoldOut
	}
	return sawRetry // nothing heard yet
}

// leastOfLow is what is left of the low end after more people give up before their turn than have by now: in a line that most
// people leave, the range held for half of those let in without it, and for 997 of 1,000 with it (TestTheShownRangeHolds).
const leastOfLow = 0.7

// waitRange is honest about what it does not know: the low end counts only the people seen present, or those that X really
// passes if that is quicker, and some who will have left; the high end everybody, at the slower of the configured rate and the
// pace of the last half minute. While nobody moves, for want of slots, rate or doors, there is no high end.
func (r *room) waitRange(snap line.Snapshot, s standing) (low, high int64) {
	if s.State == sawNext {
		return 0, doorPromise
	}
	rate := snap.Settings.Rate.PerSecond()
	if s.State != sawWaiting || rate <= 0 || snap.Settings.Cap == 0 {
		return unknown, unknown
	}
	share := snap.AheadShare
	if share <= 0 || share > 1 {
		share = 1
	}
	slow, measured := r.pace.perSecond(snap)
	if !measured {
		slow = rate
	}
	low = int64(min(float64(s.Ahead)*share/rate, float64(s.Ahead)/max(slow, rate)) * leastOfLow)
	if slow <= 0 {
		return low, unknown
	}
	return low, int64(math.Ceil(float64(s.Ahead+1)/min(rate, slow)*1.2)) + 5
}

// slow says that clearly fewer go in than the rate says.
func (r *room) slow(snap line.Snapshot) bool {
	v, measured := r.pace.perSecond(snap)
	return measured && v < snap.Settings.Rate.PerSecond()*0.8
}

// full says that whoever has so many people before at the door does not go in within the seconds that the door promises: the
// cap holds, and people leave too slowly. In a large room at its cap somebody leaves all the time.
func (r *room) full(snap line.Snapshot, behind int64) bool {
	if stateOf(snap) != sawWaiting || snap.Live < int64(snap.Settings.Cap) {
		return false
	}
	snap.X = snap.Left // how fast people leave; X runs ahead of the door
	v, measured := r.leaves.perSecond(snap)
	return !measured || v*float64(doorPromise) < float64(behind+1)
}

// doorPromise is within how many seconds those at the door go in.
const doorPromise = 10

func retryAfter(s standing, now time.Time) int {
	if s.State == sawPrequeue && !s.Snap.Settings.OpensAt.IsZero() {
		return clampInt(int(s.Snap.Settings.OpensAt.Sub(now)/time.Second)+1, 1, 60)
	}
	if s.State == sawNext {
		return 1
	}
	if s.Low < 0 {
		return 10
	}
	return clampInt(int(float64(s.Low)/leastOfLow/2), 2, 60)
}

func clampInt(v, lo, hi int) int { return max(lo, min(v, hi)) }

// writeProblem tells a program where its user stands.
func (h *Handler) writeProblem(w http.ResponseWriter, r *http.Request, v visitor, s standing) error {
	p := problem{Status: http.StatusTooManyRequests, Code: "admission_required", Answer: "wait", RetryAfter: s.RetryAfter,
		Detail: "There is a line in front of this service. Keep the ticket, watch status_url, and POST enter when your place is below x1."}
	if s.Full {
		p.Detail = "As many are inside as the room takes, so one goes in as one leaves. Keep the ticket and POST enter again; nobody passes you."
	}
	switch s.State {
	case sawRetry:
		p.Status, p.Code, p.Detail = http.StatusServiceUnavailable, "line_unavailable", "The line cannot be reached for a moment. Keep the ticket and come again; no place is lost."
	case sawClosed:
		p.Status, p.Code, p.Detail = http.StatusGone, "closed", "This waiting room is closed."
	case sawLimited:
		p.Code, p.Detail = "join_limited", "Too many newcomers from this network. Come again; who has a place keeps it."
		limitFields(w, "joins", h.room.conf.Load().JoinLimit, s.RetryAfter)
	case sawSchedule:
		p.Status, p.Code = http.StatusForbidden, "not_open"
		p.Detail = "The line opens at " + stamp(h.room.prequeueAt()) + ". Coming earlier is no advantage: places are drawn."
	case sawWork:
		p.Code, p.Detail = "work_required", "Solve the challenge and POST the solution to join_url for a place: it keeps robots from taking many. README says how."
	case sawIdentify:
		p.Status, p.Code, p.Detail = http.StatusForbidden, "identity_required", "This line gives one place to each account. Sign in first."
	case sawInvited:
		p.Status, p.Code, p.Detail = http.StatusForbidden, "invitation_required", "This line is for the invited. POST the code of an invitation to invite_url."
	case sawFresh:
		p.Detail = "The token that came with this request was not issued here. Come again without it to get a place."
	}
	w.Header().Add("Vary", "Accept, Cookie, Sec-Fetch-Dest, Sec-Fetch-Mode")
	base := reservedPrefix + h.Room + "/"
	p.More = map[string]any{"state": s.State, "position": positive(s.Ahead), "wait_seconds_low": positive(s.Low),
		"wait_seconds_high": positive(s.High), "status_url": base + "status", "enter_url": base + "enter"}
	if s.Challenge != "" {
		p.More["challenge"], p.More["bits"], p.More["parts"], p.More["join_url"] = s.Challenge, s.Bits, admission.WorkParts, base+"join"
		p.More["captcha"] = h.captcha != nil
	}
	if s.Full {
		p.More["full"] = true
	}
	if s.State == sawInvited {
		p.More["invite_url"] = base + "invite"
	}
	if v.hasTicket {
		p.More["ticket"] = v.raw
	}
	if s.Index >= 0 {
		p.More["index"] = s.Index
	}
	if s.Place >= 0 {
		p.More["place"], p.More["x"] = s.Place, s.X
	}
	return p.write(w, r)
}

// positive turns unknown into JSON null.
func positive(v int64) any {
	if v < 0 {
		return nil
	}
	return v
}
