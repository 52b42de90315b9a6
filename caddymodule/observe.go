package caddymodule

import (
	"net/http"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/admission/line"
)

// What a request was to the room, for access logs and placeholders.
const (
	metInside  = "inside"  // passed on with a pass
	metBeside  = "beside"  // passed on because the gate does not select it
	metThrough = "through" // passed on by the safety net
	metWaiting = "waiting" // answered by us
)

// met says in {http.ropeline.room}, .standing, .visitor and .place, and in the same fields of the access log, how the request
// met the room. A visitor's id is no secret: it opens nothing without its signature.
func (h *Handler) met(r *http.Request, standing string, id admission.VID, place int64) {
	if repl, ok := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer); ok {
		repl.Set("http.ropeline.room", h.Room)
		repl.Set("http.ropeline.standing", standing)
		repl.Set("http.ropeline.visitor", string(id))
		if place >= 0 {
			repl.Set("http.ropeline.place", place)
		}
	}
	if server, ok := r.Context().Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server); ok && server.Logs == nil {
		return // nobody reads the fields, and this runs on every request of everybody inside
	}
	if log, ok := r.Context().Value(caddyhttp.ExtraLogFieldsCtxKey).(*caddyhttp.ExtraLogFields); ok {
		log.Add(zap.String("ropeline_room", h.Room))
		log.Add(zap.String("ropeline_standing", standing))
		if id != "" {
			log.Add(zap.String("ropeline_visitor", string(id)))
		}
		if place >= 0 {
			log.Add(zap.Int64("ropeline_place", place))
		}
	}
}

// stateEvent is the name of the event that Caddy's events app gives to its subscribers when a room is in another state,
// epoch or term, as this edge sees it.
const stateEvent = "waiting_room_state"

// seenState is what the last event was about.
type seenState struct {
	state, reason string
	epoch, term   int64
}

// tellState emits the event if there is something to tell. It is called by one goroutine.
func (r *room) tellState(s line.Snapshot, emit func(map[string]any)) {
	now := seenState{s.State, s.Reason, s.Epoch, s.Term}
	if s.Stale {
		now.state = "away"
	}
	if !known(s) || now == r.told {
		return
	}
	before := r.told
	r.told = now
	if emit != nil {
		emit(map[string]any{"room": r.name, "state": now.state, "before": before.state, "reason": now.reason, "epoch": now.epoch, "term": now.term})
	}
}

// emitter is how the configuration in force tells Caddy's subscribers.
func (r *room) emitter() func(map[string]any) {
	a := r.app.Load()
	if a == nil || a.events == nil {
		return nil
	}
	return func(data map[string]any) { a.events.Emit(a.ctx, stateEvent, data) }
}
