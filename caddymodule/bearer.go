package caddymodule

import (
	"time"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/admission/line"
)

// bindOff is the value of bind_pass that makes a pass good by itself.
const bindOff = "off"

// readPasses looks for a pass that is good now and in the right hands. Passes that were good before are tried first:
// they cost no signature, and no number of planted ones stands before them.
func (h *Handler) readPasses(v *visitor, passes, tickets []string, limited bool) {
	if len(passes) == 0 {
		return
	}
	now, snap, checker := h.room.now(), h.room.line.Snapshot(), h.room.checker.Load()
	fresh := passes[:0:0]
	for _, raw := range passes {
		if len(passes) > 1 && !checker.Knows(raw) {
			fresh = append(fresh, raw)
		} else if h.tryPass(v, raw, tickets, limited, now, snap, checker); v.inside {
			return
		}
	}
	for i, raw := range fresh {
		if i == maxUnknownPasses || limited {
			v.stalePass = true
			return
		}
		if h.tryPass(v, raw, tickets, limited, now, snap, checker); v.inside {
			return
		}
	}
}

func (h *Handler) tryPass(v *visitor, raw string, tickets []string, limited bool, now time.Time, snap line.Snapshot, checker *admission.Checker) {
	if limited && !checker.Knows(raw) {
		return
	}
	p, together, err := checker.VerifyBeside(raw, tickets, now)
	switch {
	case err != nil:
		if h.refused(err) {
			v.forged++
		}
		v.stalePass = true
	case now.After(p.Expires):
		// No leeway here: the edge dates passes by the store's own clock, and from its lease's end on the slot
		// may be another's. Leeway is for origins, whose clocks nobody measures.
		tokenInvalid.WithLabelValues(h.Room, string(admission.ReasonExpired)).Inc()
		v.stalePass = true
	case known(snap) && (p.Epoch != snap.Epoch || p.Term != snap.Term), h.room.ended.has(string(p.VID), p.Term):
		// One of a later line or recall was given by an edge that knows more than this one: it is good there.
		v.stalePass = p.Epoch < snap.Epoch || p.Epoch == snap.Epoch && p.Term <= snap.Term
	case h.BindPass != bindOff && !together && !h.bind(p, raw, tickets, limited, now, checker):
		v.stalePass = !limited
	default:
		h.room.line.Seen(passToken(p))
		v.pass, v.rawPass, v.inside = p, raw, true
	}
}

// bind says whether a pass comes with its visitor's own ticket. Whoever copied the pass alone, from a log or by a
// script of the site's, has not got it: the ticket is signed, names the same visitor and is never sent to the origin.
// The checker knows the pair from then on.
func (h *Handler) bind(p admission.Pass, raw string, tickets []string, limited bool, now time.Time, checker *admission.Checker) bool {
	if limited {
		return false
	}
	ring := h.room.ring.Load()
	for _, t := range tickets {
		if k, err := ring.VerifyTicket(t, h.Room, now); err == nil && k.VID == p.VID {
			h.room.line.Seen(ticketToken(k))
			checker.Bind(raw, t)
			return true
		}
	}
	passShared.WithLabelValues(h.Room).Inc()
	return false
}
