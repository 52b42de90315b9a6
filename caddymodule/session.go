package caddymodule

import (
	"context"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/admission/line"
	"github.com/ropeline/ropeline/caddymodule/wire"
)

// minRenewal is the least gain that is worth a redirect: near its hard end a session cannot be lengthened, and a
// visitor must not be sent around for nothing.
const minRenewal = 30 * time.Second

// serveInside passes on the request of somebody who is in. The session is touched by every request, gated or not:
// reading one's order is being there.
func (h *Handler) serveInside(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler, v visitor, gated bool) error {
	h.room.line.Touch(string(v.pass.VID), 0)
	h.met(r, metInside, v.pass.VID, v.pass.Place)
	if gated && !v.byHeader && classify(r).turn && h.worthRenewing(v.pass) {
		if lease, ok, err := h.room.line.Renew(r.Context(), string(v.pass.VID)); err == nil {
			if !ok {
				v.inside, v.stalePass = false, true
				h.readTickets(&v, h.tokens(r, ticketHeader, ticketPart))
				return h.serveWaiting(w, r, next, v)
			}
			if p := renewed(v.pass, lease); p.Expires.Sub(v.pass.Expires) >= minRenewal {
				return h.redirect(w, r, v, p)
			}
		}
		// The store is away: the pass in hand is good until it expires.
	}
	if isUpgrade(r) && foreign(r) {
		return problem{Status: http.StatusForbidden, Code: "cross_site", Detail: "Only pages of this site may open this connection."}.write(w, r)
	}
	g := guard(w, &sessionOf{h.room, v.pass})
	if streaming(r) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		r = r.WithContext(ctx)
		if g.stream = h.room.streams.open(h.app, v.pass, streamPrefix(r), cancel); g.stream == nil {
			return problem{Status: http.StatusTooManyRequests, Code: "too_many_streams", RetryAfter: 10,
				Detail: "Too many streams are open from here: close some."}.write(w, r)
		}
		defer h.room.streams.close(g.stream)
	}
	return h.forward(w, r, next, g, v.rawPass, gated)
}

// worthRenewing is true in the second half of a pass's life.
func (h *Handler) worthRenewing(p admission.Pass) bool {
	now := h.room.now()
	return now.Sub(p.IssuedAt) > p.Expires.Sub(p.IssuedAt)/2 && p.Hard.Sub(now) > minRenewal
}

// renewed is the next pass of a session. It never outlives what the store has acknowledged.
func renewed(p admission.Pass, l line.Lease) admission.Pass {
	p.IssuedAt, p.Hard = l.Now, l.HardEnd
	p.Epoch, p.Term, p.Place = l.Epoch, l.Term, max(0, l.Place)
	p.Expires = earliest(l.Now.Add(admission.PassLife), l.End, l.HardEnd)
	return p
}

// admitted is the first pass of a session.
func (h *Handler) admitted(id admission.VID, a line.Answer) admission.Pass {
	return admission.Pass{Room: h.Room, VID: id, Epoch: a.Epoch, Term: a.Term, Place: max(0, a.Place), IssuedAt: a.Now,
		NotBefore: a.Entry, Hard: a.HardEnd, Expires: earliest(a.Now.Add(admission.PassLife), a.LeaseEnd, a.HardEnd)}
}

func earliest(t time.Time, more ...time.Time) time.Time {
	for _, m := range more {
		if m.Before(t) {
			t = m
		}
	}
	return t
}

// redirect answers 303 to the same URL with the pass: only our own answers carry our cookies, since a proxied one may
// be kept by a CDN.
func (h *Handler) redirect(w http.ResponseWriter, r *http.Request, v visitor, p admission.Pass) error {
	if err := h.setPass(w, r, v, p, false); err != nil {
		return err
	}
	private(w, "enter")
	w.Header().Set("Location", sameURL(r))
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// setPass signs a pass and puts it on the answer. It is bound to the visitor's ticket if this request has had that checked:
// the next one then need not. A binding is never handed on from pass to pass, or a ticket would outlive its key.
func (h *Handler) setPass(w http.ResponseWriter, r *http.Request, v visitor, p admission.Pass, asHeader bool) error {
	checker := h.room.checker.Load()
	raw, err := checker.Sign(p)
	if err != nil {
		return err
	}
	if v.hasTicket && v.ticket.VID == p.VID {
		checker.Bind(raw, v.raw)
	}
	h.room.streams.renewed(p)
	if asHeader {
		w.Header().Set(passHeader, raw)
		return nil
	}
	h.setCookie(w, r, passPart, raw, p.Expires.Sub(p.IssuedAt)+admission.Leeway)
	return nil
}

// sameURL is the request's own URL, byte for byte, to be a Location.
func sameURL(r *http.Request) string {
	orig, ok := r.Context().Value(caddyhttp.OriginalRequestCtxKey).(http.Request)
	if !ok {
		orig = *r
	}
	uri := orig.RequestURI
	if uri == "" || uri[0] != '/' { // absolute form, as proxies send it
		uri = orig.URL.RequestURI()
	}
	return wire.Location(uri, siteOf(r))
}
