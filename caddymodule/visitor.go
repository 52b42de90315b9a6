package caddymodule

import (
	"errors"
	"net/http"
	"time"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/admission/line"
)

const (
	// maxUnknownPasses bounds the Ed25519 checks of one request; passes that were good before cost next to nothing.
	maxUnknownPasses = 8
	// maxTries bounds how many genuine tickets of one request the store is asked about.
	maxTries = 4
)

// visitor is who a request says it is, as far as that is proven.
type visitor struct {
	ticket    admission.Ticket
	hasTicket bool // genuine and of the present line
	issued    bool // the ticket is new: the answer has to carry it
	raw       string
	others    []held // further genuine tickets of the present line

	pass    admission.Pass
	rawPass string
	inside  bool // the pass is good now

	counted     bool // it has been taken from its address's allowance of newcomers
	tooOften    bool // its address floods us with made-up tokens: nothing was checked
	forged      int  // tokens that we never made: they get no place
	byHeader    bool // tokens come in headers: no cookies are set
	stalePass   bool // a pass cookie that should be removed
	staleTicket bool // a ticket cookie that should be removed
	otherLine   bool // a genuine ticket of an epoch that this room does not have any more, or a name too old to count
	ahead       bool // a genuine ticket of a line that this edge has yet to hear of, and none of the present one
}

// held is a ticket as it came.
type held struct {
	admission.Ticket
	raw string
}

// identify reads the tokens.
func (h *Handler) identify(r *http.Request) visitor {
	v := h.bearer(r)
	if v.inside {
		h.readTickets(&v, h.tokens(r, ticketHeader, ticketPart))
	}
	return v
}

// bearer reads the tickets only of somebody who is not inside: a request with a good pass needs no more.
func (h *Handler) bearer(r *http.Request) (v visitor) {
	v = visitor{byHeader: r.Header["Ropeline-Ticket"] != nil || r.Header["Ropeline-Pass"] != nil}
	tickets, passes := h.tokens(r, ticketHeader, ticketPart), h.tokens(r, passHeader, passPart)
	if len(tickets)+len(passes) == 0 {
		return v
	}
	// Who shares the address of somebody who floods us keeps what has been checked before, and is asked to come again
	// with the rest: no token is called forged here.
	limited := h.forgedTooOften(r, time.Now())
	if h.readPasses(&v, passes, tickets, limited); v.inside {
		return v
	}
	if limited {
		v.tooOften = true
		return v
	}
	h.readTickets(&v, tickets)
	if v.forged > 0 && !v.hasTicket {
		h.forgedNow(r, time.Now(), v.forged)
	}
	return v
}

// readTickets takes the genuine tickets of the present line. Of several the one with the lowest index counts: a planted
// cookie can only be another genuine place, and the earlier one is the visitor's gain, unless it is known to be spent.
func (h *Handler) readTickets(v *visitor, tickets []string) {
	now, snap, ring := h.room.now(), h.room.line.Snapshot(), h.room.ring.Load()
	var all []held
	for _, raw := range tickets {
		t, err := ring.VerifyTicket(raw, h.Room, now)
		if err != nil {
			if h.refused(err) {
				v.forged++
			}
			v.staleTicket = true
			continue
		}
		h.room.line.Seen(ticketToken(t))
		if ahead(t, snap) {
			v.ahead = true
			continue
		}
		if known(snap) && t.Index == admission.NoIndex && !lately(t, snap, now) {
			v.otherLine = true
			continue
		}
		if known(snap) && t.Epoch != snap.Epoch && t.Index != admission.NoIndex {
			v.otherLine = true
			continue // an older line: its places are gone, and the visitor joins this one
		}
		all = append(all, held{t, raw})
	}
	h.choose(v, all, snap)
	v.ahead = v.ahead && !v.hasTicket
}

// ahead says whether a ticket is of a line that was begun after this edge last heard of the room: it is behind the others,
// or cut off. Such a ticket is a place, if not one that can be looked up here; a new one in its stead would cost its owner
// that place. Once the room has been heard of since, its word counts.
func ahead(t admission.Ticket, s line.Snapshot) bool {
	return known(s) && t.Index != admission.NoIndex && t.Epoch > s.Epoch && (s.State == line.StateMerging || t.IssuedAt.Add(admission.Leeway).After(s.Now))
}

// nameLife is how long a ticket without an index stands for what its bearer did for it. It is given while no place can be,
// and each try brings a fresh one; kept for longer, it would be a way to have the work of an opening done the day before.
const nameLife = time.Hour

func lately(t admission.Ticket, s line.Snapshot, now time.Time) bool {
	return now.Sub(t.IssuedAt) < nameLife && (t.Epoch == s.Epoch || t.Epoch == 0)
}

// choose takes the best of the tickets and keeps the others.
func (h *Handler) choose(v *visitor, all []held, snap line.Snapshot) {
	v.hasTicket, v.others = false, nil
	best := -1
	for i, t := range all {
		if best < 0 || h.better(t.Ticket, all[best].Ticket, snap) {
			best = i
		}
	}
	if best < 0 {
		return
	}
	v.ticket, v.hasTicket, v.raw = all[best].Ticket, true, all[best].raw
	v.others = append(all[:best:best], all[best+1:]...)
}

// better says whether a is the better place. A ticket without an index only names its visitor; a spent one is the last.
func (h *Handler) better(a, b admission.Ticket, snap line.Snapshot) bool {
	if ua, ub := h.room.used.has(a, snap), h.room.used.has(b, snap); ua != ub {
		return ub
	}
	return a.Index != admission.NoIndex && (b.Index == admission.NoIndex || a.Index < b.Index)
}

// another goes on to the visitor's next ticket after the line has said that this one's place is spent: one that somebody
// has planted, used and with a lower index, must not stand before the visitor's own. False: there is none.
func (h *Handler) another(v *visitor) bool {
	snap := h.room.line.Snapshot()
	h.room.used.add(v.ticket, snap)
	h.choose(v, v.others, snap)
	return v.hasTicket && !h.room.used.has(v.ticket, snap)
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
	return line.Visitor{ID: string(v.ticket.VID), Index: v.ticket.Index, Identity: v.ticket.Identity, Epoch: v.ticket.Epoch}
}
