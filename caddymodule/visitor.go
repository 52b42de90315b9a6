package caddymodule

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/admission/line"
)

// visitor is who a request says it is, as far as that is proven.
type visitor struct {
	ticket    admission.Ticket
	hasTicket bool // genuine and of the present line
	issued    bool // the ticket is new: the answer has to carry it
	raw       string

	pass    admission.Pass
	rawPass string
	inside  bool // the pass is good now

	counted     bool // it has been taken from its address's allowance of newcomers
	tooOften    bool // its address floods us with made-up tokens: nothing was checked
	forged      bool // a token that we never made: the visitor gets no place for it
	byHeader    bool // tokens come in headers: no cookies are set
	stalePass   bool // a pass cookie that should be removed
	staleTicket bool // a ticket cookie that should be removed
	otherLine   bool // a genuine ticket of an epoch that this room does not have any more
}

// identify reads the tokens. Of several tickets the one with the lowest index counts: a planted cookie can only be
// another genuine place, and the earlier one is the visitor's gain.
func (h *Handler) identify(r *http.Request) (v visitor) {
	v = visitor{byHeader: r.Header["Ropeline-Ticket"] != nil || r.Header["Ropeline-Pass"] != nil}
	now, snap := h.room.now(), h.room.line.Snapshot()
	ring, checker := h.room.ring.Load(), h.room.checker.Load()
	tickets, passes := tokens(r, ticketHeader, ticketPart, h.Room), tokens(r, passHeader, passPart, h.Room)
	if len(tickets)+len(passes) > 0 && h.forgedTooOften(r, time.Now()) {
		// Who shares the address of somebody who floods us keeps what has been checked before, and is asked to come
		// again with the rest: no token is called forged here.
		v.tooOften = true
		tickets, passes = nil, slices.DeleteFunc(passes, func(raw string) bool { return !checker.Knows(raw) })
	}
	defer func() {
		if v.forged {
			h.forgedOnce(r, time.Now())
		}
	}()
	for _, raw := range tickets {
		t, err := ring.VerifyTicket(raw, h.Room, now)
		if err != nil {
			v.forged = h.refused(err) || v.forged
			v.staleTicket = true
			continue
		}
		h.room.line.Seen(ticketToken(t))
		if known(snap) && t.Epoch != snap.Epoch && t.Index != admission.NoIndex {
			v.otherLine = true
			continue // an older line: its places are gone, and the visitor joins this one
		}
		if !v.hasTicket || earlier(t, v.ticket) {
			v.ticket, v.hasTicket, v.raw = t, true, raw
		}
	}
	for _, raw := range passes {
		p, err := checker.Verify(raw, now)
		switch {
		case err != nil:
			v.forged = h.refused(err) || v.forged
			v.stalePass = true
		case now.After(p.Expires):
			// No leeway here: the edge dates passes by the store's own clock, and from its lease's end on the slot
			// may be another's. Leeway is for origins, whose clocks nobody measures.
			tokenInvalid.WithLabelValues(h.Room, string(admission.ReasonExpired)).Inc()
			v.stalePass = true
		case known(snap) && (p.Epoch != snap.Epoch || p.Term != snap.Term), h.room.ended.has(string(p.VID), p.Term):
			v.stalePass = true
		default:
			h.room.line.Seen(passToken(p))
			v.pass, v.rawPass, v.inside = p, raw, true
			return v
		}
	}
	return v
}

// earlier says whether a is the better place. A ticket without an index only names its visitor.
func earlier(a, b admission.Ticket) bool {
	return a.Index != admission.NoIndex && (b.Index == admission.NoIndex || a.Index < b.Index)
}

// ticketToken and passToken are what authentic tokens tell a store that has lost something.
func ticketToken(t admission.Ticket) line.Token {
	n := int64(unknown)
	if t.Drawn {
		n = t.N
	}
	return line.Token{Epoch: t.Epoch, ID: string(t.VID), Index: t.Index, Place: unknown, N: n, Issued: t.IssuedAt}
}

func passToken(p admission.Pass) line.Token {
	return line.Token{Epoch: p.Epoch, ID: string(p.VID), Index: admission.NoIndex, Place: p.Place, N: unknown,
		Issued: p.IssuedAt, Pass: true, Term: p.Term, Expires: p.Expires, Hard: p.Hard}
}

// known says whether the room has been heard of at all; before that, a token's own times have to do.
func known(s line.Snapshot) bool { return !s.Heard.IsZero() && s.Epoch > 0 }

// refused counts a bad token and says whether somebody made it up. Expired tokens and those of retired keys were
// genuine once: their owners are people coming back.
func (h *Handler) refused(err error) bool {
	var inv *admission.Invalid
	if !errors.As(err, &inv) {
		return false
	}
	tokenInvalid.WithLabelValues(h.Room, string(inv.Reason)).Inc()
	switch inv.Reason {
	case admission.ReasonExpired, admission.ReasonEarly, admission.ReasonKey, admission.ReasonUnavailable:
		return false
	}
	return true
}

// at is the visitor as the line knows it.
func (v visitor) at() line.Visitor {
	return line.Visitor{ID: string(v.ticket.VID), Index: v.ticket.Index, Identity: v.ticket.Identity}
}
