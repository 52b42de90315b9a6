package caddymodule

import (
	"context"
	"net/http"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/caddymodule/wire"
)

// passage is what the handlers of several rooms tell each other about one request that goes through all of them. The
// first takes everything of ours out of it, and the next must still find its own; the first watches the answer for
// what looks like ours, and the next one's answers are.
type passage struct {
	ours     http.Header // what was taken out, as it came
	answered bool        // a handler of ours is answering, not the origin
	pass     string      // what an earlier handler has put on
	gated    bool        // by a room that this request needs a pass of
	secret   string      // for the origin
}

type passageKey struct{}

func passageOf(r *http.Request) *passage {
	p, _ := r.Context().Value(passageKey{}).(*passage)
	return p
}

// arrive gives the handler the request as it came. Only a site with several rooms needs a passage.
func (h *Handler) arrive(r *http.Request) (*http.Request, *passage) {
	p := passageOf(r)
	switch {
	case p != nil:
		for name, values := range p.ours {
			r.Header[name] = values
		}
		if p.ours["Ropeline-Pass"] == nil {
			delete(r.Header, passHeader)
		}
	case h.app.several():
		p = &passage{ours: http.Header{}}
		for name, values := range r.Header {
			if name == "Cookie" || wire.Ours(name) {
				p.ours[name] = values
			}
		}
		r = r.WithContext(context.WithValue(r.Context(), passageKey{}, p))
	}
	if p != nil {
		p.answered = true
	}
	return r, p
}

// forward cleans the request and passes it on. pass is this room's, or empty; whose answers about the session count is
// the room whose pass the origin got: the innermost one that gates this request.
func (h *Handler) forward(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler, g *guarded, pass string, gated bool) error {
	p := passageOf(r)
	h.clean(r)
	secret := *h.room.secret.Load()
	mine := pass != ""
	if p != nil {
		p.answered = false
		if secret == "" {
			secret = p.secret
		}
		p.secret = secret
		if mine = mine && (gated || !p.gated); mine {
			p.pass, p.gated = pass, gated
		}
		pass = p.pass
	}
	if pass != "" {
		r.Header.Set(passHeader, pass)
	}
	if secret != "" {
		r.Header.Set(admission.OriginSecretHeader, secret)
	}
	if !mine {
		g.session = nil
		if p != nil && p.pass != "" {
			return next.ServeHTTP(w, r) // the handler that put the pass on watches the answer
		}
	}
	g.passage = p
	defer g.cleanTrailers()
	return h.measured(g, r, next)
}

// several says whether this configuration has more than one room.
func (a *App) several() bool { return a.rooms.Load() > 1 }
