package caddymodule

import (
	"context"
	"net/http"
	"time"

	"github.com/ropeline/ropeline/admission/line"
)

// lookTimeout bounds what a program waits to hear that its place is spent: without an answer it is told where it would stand.
const lookTimeout = 250 * time.Millisecond

// allSpent says whether every ticket that a program came with is used up. A page finds that out by entering and gets a new place;
// a program that only asks would hear for ever that it is next. The store is asked about called places alone, and without a
// knock: looking takes no turn.
func (h *Handler) allSpent(r *http.Request, v *visitor, snap line.Snapshot) bool {
	for try := 1; ; try++ {
		if !h.room.used.has(v.ticket, snap) {
			place := h.room.line.Place(v.ticket.Index)
			if place < 0 || place >= snap.X || snap.Stale || !h.room.knocks.allow(string(v.ticket.VID)) {
				return false
			}
			ctx, cancel := context.WithTimeout(r.Context(), lookTimeout)
			a, err := h.room.line.Look(ctx, v.at())
			cancel()
			if err != nil || a.Standing != line.Used {
				return false
			}
		}
		asked := *v
		if try == maxTries || !h.another(v) {
			*v = asked
			return true
		}
	}
}

// writeSpent says that the place is used up, and how to get another. The dead cookie goes, so that a program which keeps
// cookies joins by asking again.
func (h *Handler) writeSpent(w http.ResponseWriter, r *http.Request, v visitor) error {
	drop := "header " + ticketHeader
	if !v.byHeader {
		h.setCookie(w, r, ticketPart, "", 0)
		drop = "cookie " + cookieName(r, h.domainFor(r), ticketPart, h.Room)
	}
	w.Header().Add("Vary", "Accept, Cookie, Sec-Fetch-Dest, Sec-Fetch-Mode")
	return problem{Status: http.StatusTooManyRequests, Code: "already_used", Answer: "used", RetryAfter: 1,
		Detail: "The place of this ticket has been used: its visitor was let in, or gave it up. Ask again without the ticket to join at the end of the line.",
		More:   map[string]any{"state": string(line.Used), "index": v.ticket.Index, "leave_out": drop}}.write(w, r)
}
