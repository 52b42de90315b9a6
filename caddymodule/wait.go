package caddymodule

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/admission/line"
)

const (
	// joinTimeout bounds what a newcomer waits for a place before being told to come again.
	joinTimeout = 3 * time.Second
	// enterTimeout is how long the edge knocks for a visitor whose turn it is, before showing the page again.
	enterTimeout = 10 * time.Second
	// maxKnocking bounds how many requests may wait at the door at once; the others get the page, which knocks itself.
	maxKnocking = 4096
)

// serveWaiting answers somebody who has no pass: lets in whose turn it is, gives a place to who has none, and tells
// everybody where they stand.
func (h *Handler) serveWaiting(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler, v visitor) error {
	k := classify(r)
	for try := 1; k.turn && v.hasTicket && !v.byHeader; try++ {
		a, err := h.tryEnter(r.Context(), v)
		if err == nil && a.Standing == line.In {
			return h.redirect(w, r, v, h.admitted(v.ticket.VID, a))
		}
		if err != nil {
			if done, err := h.failOpen(w, r, next, err); done {
				return err
			}
		}
		if err != nil || a.Standing != line.Used {
			break
		}
		if !h.another(&v) || try == maxTries {
			// The place was spent in an earlier session: this is somebody coming back, who takes a new one.
			v.hasTicket = false
		}
	}
	if done, err := h.safetyNet(w, r, next, &v, k); done {
		return err
	}
	if k.framed {
		// A browser may deny storage to a frame of another site. A place given here would be lost at the next look, again and
		// again: the visitor is shown the way into a window of its own instead.
		s := h.standing(v, h.room.line.Snapshot(), errNoPlace)
		s.State = sawFramed
		return h.writePageWith(w, r, s, "")
	}
	came := v.hasTicket && v.ticket.Index != admission.NoIndex
	state, err := h.place(r, &v, k)
	if came && err == nil && !k.page && h.allSpent(r, &v, state) {
		return h.writeSpent(w, r, v)
	}
	h.carry(w, r, v, k)
	s := h.standing(v, state, err)
	kept := v.ticket.VID
	h.met(r, metWaiting, kept, s.Place)
	if named, err := h.demand(r, &s, err); err != nil {
		return err
	} else if named != "" {
		kept = named
	}
	if k.page {
		return h.writePageWith(w, r, s, h.keep(r, v, kept))
	}
	return h.writeProblem(w, r, v, s)
}

// demand puts a challenge on the answer to a newcomer who has to work first, and says whom it names.
func (h *Handler) demand(r *http.Request, s *standing, why error) (named admission.VID, err error) {
	need := needWork{}
	if !errors.As(why, &need) {
		return "", nil
	}
	c, raw, err := h.challenge(r, need.bits, time.Now())
	if err != nil {
		return "", err
	}
	asked.WithLabelValues(h.Room, "asked").Inc()
	s.Challenge, s.Bits = raw, c.Bits
	return c.VID, nil
}

// place gives the visitor an index if it has none and this kind of request gets one. The reason why it has none
// afterwards is the error.
func (h *Handler) place(r *http.Request, v *visitor, k kind) (line.Snapshot, error) {
	snap := h.room.line.Snapshot()
	if v.hasTicket && v.ticket.Index != admission.NoIndex {
		h.resign(v, snap)
		return snap, nil
	}
	if !k.joins {
		return snap, errNoPlace
	}
	if v.ahead {
		return snap, errAhead
	}
	if _, yes := h.room.scheduled(snap.State); yes {
		return snap, errNotOpen
	}
	now, identity := time.Now(), h.identityOf(r)
	id := admission.NewVID()
	if v.hasTicket { // given without an index: it passed all this then
		id, identity = v.ticket.VID, v.ticket.Identity
	} else {
		if err := h.mayJoin(identity); err != nil {
			return snap, err
		}
		// An account is one place however often it asks, and made-up ones cannot be signed: it need not work.
		if zeros := h.work(r, now); zeros > 0 && identity == "" {
			return snap, needWork{zeros}
		}
	}
	if !v.counted {
		if err := h.joinAllowed(r, now); err != nil {
			return snap, err
		}
	}
	if v.forged > 0 && !v.hasTicket {
		// Whoever sends made-up tokens gets a name and no index; it gets one when the name has come back, beside
		// whatever else still comes with it: somebody may have planted cookies that we cannot take away.
		return snap, errors.Join(errForged, h.issue(v, admission.Ticket{Epoch: snap.Epoch, VID: id, Index: admission.NoIndex, Identity: identity, IssuedAt: h.room.now()}))
	}
	return h.take(r, v, id, identity)
}

// take gives a newcomer the place of this id, or of this identity if it has one already.
func (h *Handler) take(r *http.Request, v *visitor, id admission.VID, identity string) (line.Snapshot, error) {
	snap := h.room.line.Snapshot()
	if v.ahead {
		return snap, errAhead
	}
	ctx, cancel := context.WithTimeout(r.Context(), joinTimeout)
	defer cancel()
	joined, err := h.room.line.Join(ctx, string(id), identity)
	t := admission.Ticket{Epoch: joined.Epoch, VID: admission.VID(joined.ID), Index: joined.Index, Identity: identity, IssuedAt: joined.IssuedAt}
	if err != nil {
		if errors.Is(err, line.ErrClosed) || errors.Is(err, line.ErrBadVisitor) {
			return snap, err
		}
		// No index can be given now. The signed id alone is worth keeping: whoever waited here is not drawn twice.
		t = admission.Ticket{Epoch: snap.Epoch, VID: id, Index: admission.NoIndex, Identity: identity, IssuedAt: h.room.now()}
	} else {
		joins.WithLabelValues(h.Room).Inc()
		h.came(r, time.Now())
	}
	if err := h.issue(v, t); err != nil {
		return snap, err
	}
	return h.room.line.Snapshot(), err
}

// issue gives the visitor a ticket, which the answer has to carry.
func (h *Handler) issue(v *visitor, t admission.Ticket) error {
	t.Room = h.Room
	raw, err := h.room.ring.Load().SignTicket(t)
	if err == nil {
		v.ticket, v.hasTicket, v.issued, v.raw = t, true, true, raw
	}
	return err
}

// ticketAge is how old a ticket may get before an answer of ours brings a fresh one. So whoever comes back at all
// never nears the retention, and a retired key finds no ticket of somebody who still waits.
const ticketAge = 24 * time.Hour

// resign gives a ticket of before the draw the place it was drawn to, so that the ticket alone is the record, and an
// old ticket a new date.
func (h *Handler) resign(v *visitor, snap line.Snapshot) {
	place, now := h.room.line.Place(v.ticket.Index), h.room.now()
	drawn := !v.ticket.Drawn && place >= 0 && snap.Draw.Revealed
	if !drawn && now.Sub(v.ticket.IssuedAt) < ticketAge {
		return
	}
	t := v.ticket
	t.IssuedAt = now
	if drawn {
		t.Drawn, t.Place, t.N = true, place, max(0, snap.N)
	}
	if raw, err := h.room.ring.Load().SignTicket(t); err == nil {
		v.ticket, v.raw, v.issued = t, raw, true
	}
}

var (
	errForged  = errors.New("a token that was never issued")
	errNotOpen = errors.New("the pre-queue has not begun")
	errNoPlace = errors.New("this kind of request takes no place")
	errAhead   = errors.New("a place of a line that this edge has yet to hear of")
)

// carry puts new tokens on the answer and takes dead cookies away.
func (h *Handler) carry(w http.ResponseWriter, r *http.Request, v visitor, k kind) {
	if v.byHeader || k.json && v.issued {
		if v.raw != "" {
			w.Header().Set(ticketHeader, v.raw)
		}
	}
	if v.byHeader {
		return
	}
	switch {
	case v.issued:
		h.setCookie(w, r, ticketPart, v.raw, admission.TicketRetention)
		h.tidy(w, r)
	case v.staleTicket && !v.hasTicket && !v.ahead:
		h.setCookie(w, r, ticketPart, "", 0)
	}
	if v.stalePass {
		h.setCookie(w, r, passPart, "", 0)
	}
}

// knocking counts the requests that wait at the door.
var knocking = make(chan struct{}, maxKnocking)

// tryEnter knocks for a visitor whose place has been called, up to enterTimeout. The answer is In when the pass may
// leave, and its entry time has come.
func (h *Handler) tryEnter(ctx context.Context, v visitor) (line.Answer, error) {
	place := h.room.line.Place(v.ticket.Index)
	at, called := h.room.line.CallTime(place)
	net := h.room.line.Snapshot().Settings.Passthrough // places are called as they are given: the store knows better than this edge
	if v.ticket.Index == admission.NoIndex || place < 0 || !called && !net {
		return line.Answer{Standing: line.Waiting}, nil
	}
	if !h.room.knocks.allow(string(v.ticket.VID)) {
		return line.Answer{Standing: line.Waiting}, nil // the page is answered from memory
	}
	select {
	case knocking <- struct{}{}:
		defer func() { <-knocking }()
	default:
		return line.Answer{Standing: line.Waiting}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, enterTimeout)
	defer cancel()
	if err := pause(ctx, at.Sub(h.room.now())); called && err != nil {
		return line.Answer{Standing: line.Waiting}, nil
	}
	for {
		a, err := h.enter(ctx, v)
		if err != nil || a.Standing != line.Door && a.Standing != line.Granted && a.Standing != line.Retry {
			return a, err
		}
		if pause(ctx, time.Second) != nil {
			return a, nil
		}
	}
}

// enter asks once. An answer of In is held back until the entry time, which is at most a second away, so that nobody
// reaches the origin before it, whatever the origin makes of nbf.
func (h *Handler) enter(ctx context.Context, v visitor) (line.Answer, error) {
	a, err := h.room.line.Enter(ctx, v.at())
	if err != nil {
		knocks.WithLabelValues(h.Room, "error").Inc()
		return a, err
	}
	knocks.WithLabelValues(h.Room, string(a.Standing)).Inc()
	if a.Standing == line.In {
		err = pause(ctx, a.EntryIn())
	}
	return a, err
}

// pause waits, unless the visitor goes first.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
