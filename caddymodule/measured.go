package caddymodule

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/ropeline/ropeline/admission/pace/gate"
)

// errAborted is how a proxy ends a connection whose answer it cannot finish: it panics.
var errAborted = errors.New("aborted")

// flight is a request that the origin has not answered yet.
type flight struct {
	meter *gate.Meter // nil: not measured, or over
	gate.Flight
}

// measured passes a request on. In a paced room it is counted by kind and session age, and how long the origin takes to
// begin its answer: a visitor who reads slowly must not look like a slow origin.
func (h *Handler) measured(g *guarded, r *http.Request, next caddyhttp.Handler) (err error) {
	if !h.room.paced.On() {
		return next.ServeHTTP(g, r)
	}
	kind, age := gate.Nobody, time.Duration(0)
	if g.session != nil {
		kind, age = h.room.sorter.Load().kind(r.Method, r.URL.Path), h.room.now().Sub(g.session.pass.NotBefore)
	}
	m := h.room.paced.Meter
	g.flight = flight{m, m.Begin(kind, age)}
	err = errAborted // what a panic leaves
	defer func() { g.gone(r, err) }()
	err = next.ServeHTTP(g, r)
	return err
}

// answered is the head of the final answer.
func (g *guarded) answered(status int) {
	m := g.flight.meter
	if m == nil {
		return
	}
	g.flight.meter = nil
	how := gate.Good
	switch {
	case g.passage != nil && g.passage.answered: // another room's answer, of which the origin knows nothing
		how = gate.Gone
	case status >= http.StatusInternalServerError:
		how = gate.Failed
	}
	m.End(g.flight.Flight, how)
}

// gone is the end of a request without an answer: what follows writes one for the origin, or the visitor left.
func (g *guarded) gone(r *http.Request, err error) {
	m := g.flight.meter
	if m == nil {
		return
	}
	g.flight.meter = nil
	how := gate.Good
	var of caddyhttp.HandlerError
	switch {
	case errors.Is(r.Context().Err(), context.Canceled):
		how = gate.Gone
	case errors.As(err, &of) && of.StatusCode < http.StatusInternalServerError && of.StatusCode > 0:
	case err != nil:
		how = gate.Failed
	}
	m.End(g.flight.Flight, how)
}

// usePace brings what a configuration says about the rate into force. An unchanged one leaves the controller alone.
func (r *room) usePace(c RoomConfig) error {
	conf, err := c.leadConfig(r.name, r.dir)
	if err != nil {
		return inRoom(r.name, err)
	}
	var s *sorter
	if conf != nil {
		if s, err = sorterOf(c.Pace); err != nil {
			return inRoom(r.name, err)
		}
	}
	r.sorter.Store(s)
	r.paced.Configure(conf)
	return nil
}
