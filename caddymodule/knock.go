package caddymodule

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/ropeline/ropeline/admission/line"
)

// knocker is Room.Knock or Room.Enter.
type knocker func(context.Context, line.Visitor) (line.Answer, error)

// knockBody is the answer to knock, enter and heartbeat.
type knockBody struct {
	State     string `json:"state"`
	Code      string `json:"code,omitempty"` // already_used
	Index     int64  `json:"index"`
	Place     int64  `json:"place"` // -1 before the draw
	X         int64  `json:"x"`
	Rank      int64  `json:"rank"` // people before at the door
	Epoch     int64  `json:"epoch"`
	EntryInMS int64  `json:"entry_in_ms"`
	RetryInMS int64  `json:"retry_in_ms"`
	Full      bool   `json:"full,omitempty"` // at the door of a room that takes nobody until somebody leaves
}

const (
	doorRetry  = time.Second
	farRetry   = 20 * time.Second
	frontRetry = 1500 * time.Millisecond
)

func (h *Handler) serveKnock(w http.ResponseWriter, r *http.Request) error {
	v, ok, err := h.ticketOf(w, r)
	if !ok {
		return err
	}
	a, err := h.ask(r, &v, h.room.line.Knock)
	if err != nil {
		return h.unavailable(w, r)
	}
	return h.writeKnock(w, r, v, http.StatusOK, a)
}

// ask knocks with the visitor's ticket, and with the next one if that is spent.
func (h *Handler) ask(r *http.Request, v *visitor, knock knocker) (line.Answer, error) {
	for try := 1; ; try++ {
		asked := *v
		a, err := h.askOnce(r, asked, knock)
		if err != nil || a.Standing != line.Used || try == maxTries || !h.another(v) {
			if a.Standing == line.Used {
				*v = asked // who has nothing better is told about the place it came with
			}
			return a, err
		}
	}
}

// askOnce answers from memory when the place has not been called: the far end of a long line costs the store nothing.
func (h *Handler) askOnce(r *http.Request, v visitor, knock knocker) (line.Answer, error) {
	snap, place := h.room.line.Snapshot(), h.room.line.Place(v.ticket.Index)
	if h.room.used.has(v.ticket, snap) {
		return line.Answer{Standing: line.Used, Index: v.ticket.Index, Place: place, X: snap.X, Epoch: snap.Epoch}, nil
	}
	if known(snap) && !snap.Stale && (snap.State == "prequeue" || snap.State == "drawing" || snap.State == "open" && place >= snap.X) {
		knocks.WithLabelValues(h.Room, "early").Inc()
		h.room.line.Present(v.at()) // a knock is a sign of life as well, and brings the ticket back to a store that was lost
		return line.Answer{Standing: line.Waiting, Index: v.ticket.Index, Place: place, X: snap.X, Epoch: snap.Epoch}, nil
	}
	a, err := knock(r.Context(), v.at())
	if err != nil {
		knocks.WithLabelValues(h.Room, "error").Inc()
		return a, err
	}
	knocks.WithLabelValues(h.Room, string(a.Standing)).Inc()
	return a, nil
}

// serveEnter is the pick-up. The pass leaves only with its entry time reached and its spent record on disk.
func (h *Handler) serveEnter(w http.ResponseWriter, r *http.Request) error {
	v, ok, err := h.ticketOf(w, r)
	if !ok {
		return err
	}
	a, err := h.ask(r, &v, h.room.line.Enter)
	if err != nil {
		return h.unavailable(w, r)
	}
	if a.Standing != line.In {
		return h.writeKnock(w, r, v, http.StatusConflict, a)
	}
	if err := pause(r.Context(), a.EntryIn()); err != nil {
		return nil // the visitor left; the session stays until its lease ends
	}
	if err := h.setPass(w, r, v, h.admitted(v.ticket.VID, a), v.wantsHeader(r)); err != nil {
		return err
	}
	return h.writeKnock(w, r, v, http.StatusOK, a)
}

func (h *Handler) writeKnock(w http.ResponseWriter, r *http.Request, v visitor, status int, a line.Answer) error {
	snap := h.room.line.Snapshot()
	b := knockBody{State: string(a.Standing), Index: v.ticket.Index, Place: a.Place, X: max(a.X, snap.X), Rank: a.Rank,
		Epoch: max(a.Epoch, snap.Epoch), RetryInMS: h.retryIn(a.Standing, a.Place, snap).Milliseconds()}
	if a.Standing == line.Used {
		b.Code = "already_used"
	}
	if a.Standing == line.Granted {
		b.EntryInMS = a.EntryIn().Milliseconds()
		b.RetryInMS = b.EntryInMS
	}
	if a.Standing == line.Waiting || a.Standing == line.Paused || a.Standing == line.SoldOut {
		b.Place = h.room.line.Place(v.ticket.Index)
	}
	b.Full = a.Standing == line.Door && h.room.full(snap, a.Rank)
	private(w, "knock")
	if h.resign(&v, snap); v.issued {
		h.carry(w, r, v, kind{})
	}
	return writeBytes(w, r, status, "application/json", b.encode())
}

// encode is encoding/json's text of b, made without reflection: every waiting page asks for it all the time. The state is
// one of the line's own words and needs no escaping.
func (b knockBody) encode() []byte {
	out := make([]byte, 0, 192)
	out = append(append(append(out, `{"state":"`...), b.State...), '"')
	if b.Code != "" {
		out = append(append(append(out, `,"code":"`...), b.Code...), '"')
	}
	for _, m := range [...]struct {
		name  string
		value int64
	}{{`,"index":`, b.Index}, {`,"place":`, b.Place}, {`,"x":`, b.X}, {`,"rank":`, b.Rank}, {`,"epoch":`, b.Epoch},
		{`,"entry_in_ms":`, b.EntryInMS}, {`,"retry_in_ms":`, b.RetryInMS}} {
		out = strconv.AppendInt(append(out, m.name...), m.value, 10)
	}
	if b.Full {
		out = append(out, `,"full":true`...)
	}
	return append(out, '}')
}

// retryIn steers how often a visitor asks, by the distance to the front.
func (h *Handler) retryIn(st line.Standing, place int64, snap line.Snapshot) time.Duration {
	switch st {
	case line.Door, line.Retry, line.Granted:
		return doorRetry
	case line.Waiting:
		rate := snap.Settings.Rate.PerSecond()
		if place < 0 || rate <= 0 || stateOf(snap) != sawWaiting {
			return frontRetry
		}
		eighth := time.Duration(float64(snap.Ahead(place)) / rate / 8 * float64(time.Second))
		return max(frontRetry, min(eighth, farRetry))
	}
	return farRetry / 4
}

// serveHeartbeat keeps a waiting page counted as present. It never counts as activity of somebody inside.
func (h *Handler) serveHeartbeat(w http.ResponseWriter, r *http.Request) error {
	v, ok, err := h.ticketOf(w, r)
	if !ok {
		return err
	}
	h.room.line.Present(v.at())
	return h.writeKnock(w, r, v, http.StatusOK, line.Answer{Standing: line.Waiting, Place: h.room.line.Place(v.ticket.Index)})
}

// serveRenew gives scripts what a navigation gets by 303: the next pass of a live session.
func (h *Handler) serveRenew(w http.ResponseWriter, r *http.Request) error {
	v := h.identify(r)
	if !v.inside {
		return problem{Status: http.StatusForbidden, Code: "pass_required", Answer: "wait", Detail: "The pass is missing or has ended."}.write(w, r)
	}
	if !h.room.knocks.allow(string(v.pass.VID)) {
		limitFields(w, "knocks", knockLimitText, 1)
		return problem{Status: http.StatusTooManyRequests, Code: "slow_down", RetryAfter: 1, Detail: "Asked too often."}.write(w, r)
	}
	lease, ok, err := h.room.line.Renew(r.Context(), string(v.pass.VID))
	if err != nil {
		return h.unavailable(w, r)
	}
	if !ok {
		return problem{Status: http.StatusForbidden, Code: "pass_required", Answer: "wait", Detail: "The session has ended."}.write(w, r)
	}
	p := renewed(v.pass, lease)
	if err := h.setPass(w, r, v, p, v.wantsHeader(r)); err != nil {
		return err
	}
	private(w, "renew")
	return writeJSON(w, r, http.StatusOK, "application/json", map[string]any{"state": "in",
		"expires_in_ms": p.Expires.Sub(p.IssuedAt).Milliseconds(), "hard_in_ms": p.Hard.Sub(p.IssuedAt).Milliseconds()})
}

// serveLeave ends the session, or gives up the place; either way the place is spent when this is answered.
func (h *Handler) serveLeave(w http.ResponseWriter, r *http.Request) error {
	v := h.identify(r)
	who := v.at()
	switch {
	case v.inside:
		lease, ok, err := h.room.line.Renew(r.Context(), string(v.pass.VID))
		if err != nil {
			return h.unavailable(w, r)
		}
		if who = (line.Visitor{ID: string(v.pass.VID), Index: lease.Index}); !ok {
			h.room.ended.add(v.pass.Term, who.ID)
			return h.left(w, r)
		}
	case v.ahead:
		return h.unavailable(w, r) // nor taken off the browser while it is not spent
	case !v.hasTicket || v.ticket.Index < 0:
		return h.left(w, r)
	}
	if err := h.room.line.Leave(r.Context(), who); err != nil {
		return h.unavailable(w, r)
	}
	return h.left(w, r)
}

func (h *Handler) left(w http.ResponseWriter, r *http.Request) error {
	h.setCookie(w, r, ticketPart, "", 0)
	h.setCookie(w, r, passPart, "", 0)
	private(w, "leave")
	return writeJSON(w, r, http.StatusOK, "application/json", map[string]string{"state": "left"})
}
