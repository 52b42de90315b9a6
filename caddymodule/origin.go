package caddymodule

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/admission/line"
	"github.com/ropeline/ropeline/caddymodule/wire"
)

// sessionOf is the session that an origin's answer may speak about.
type sessionOf struct {
	room *room
	pass admission.Pass
}

// guarded watches the head of the origin's answer: it obeys what the origin says about the session, and lets nothing
// through that looks like ours.
type guarded struct {
	*caddyhttp.ResponseWriterWrapper
	session *sessionOf // nil: the origin has no say about one
	passage *passage   // nil: there is one room only
	stream  *stream    // nil: an answer that ends by itself
	done    bool
	flight  flight // while the origin has not answered
}

func guard(w http.ResponseWriter, s *sessionOf) *guarded {
	return &guarded{ResponseWriterWrapper: &caddyhttp.ResponseWriterWrapper{ResponseWriter: w}, session: s}
}

// WriteHeader is where an answer's headers are final. 1xx answers may come several times before.
func (g *guarded) WriteHeader(status int) {
	if !g.done {
		g.done = status >= 200 || status == http.StatusSwitchingProtocols
		g.inspect(g.Header(), g.done)
		if g.done {
			g.answered(status)
		}
	}
	if st := g.stream; st != nil && status == http.StatusOK && strings.HasPrefix(g.Header().Get("Content-Type"), "text/event-stream") {
		st.mu.Lock()
		st.events = g.ResponseWriter
		st.mu.Unlock()
	}
	g.ResponseWriter.WriteHeader(status)
}

func (g *guarded) Write(b []byte) (int, error) {
	if !g.done {
		g.WriteHeader(http.StatusOK)
	}
	if g.stream != nil {
		return g.stream.write(g.ResponseWriter, b)
	}
	return g.ResponseWriter.Write(b)
}

// ReadFrom keeps sendfile and io.Copy's fast path.
func (g *guarded) ReadFrom(r interface{ Read([]byte) (int, error) }) (int64, error) {
	if !g.done {
		g.WriteHeader(http.StatusOK)
	}
	if g.stream != nil {
		return io.Copy(struct{ io.Writer }{g}, r)
	}
	return g.ResponseWriterWrapper.ReadFrom(r)
}

func (g *guarded) inspect(h http.Header, final bool) {
	if g.passage != nil && g.passage.answered {
		return // another room's answer, which is ours
	}
	if final && g.session != nil {
		g.session.obey(h)
	}
	wire.StripHeaders(h)
	h.Del("Cf-Waiting-Room-Command")
	if cookies := h["Set-Cookie"]; len(cookies) > 0 {
		kept := cookies[:0]
		for _, c := range cookies {
			name, _, _ := strings.Cut(c, "=")
			if !wire.OurCookie(strings.TrimSpace(name)) {
				kept = append(kept, c)
			}
		}
		if h["Set-Cookie"] = kept; len(kept) == 0 {
			h.Del("Set-Cookie")
		}
	}
}

// obey does what the origin asks: Ropeline-Session: end (or Cloudflare's word for it) gives the slot back,
// Ropeline-Lease: <seconds> keeps it at least so long, within the hard end.
func (s *sessionOf) obey(h http.Header) {
	id := string(s.pass.VID)
	if strings.EqualFold(h.Get("Ropeline-Session"), "end") || strings.EqualFold(h.Get("Cf-Waiting-Room-Command"), "revoke") {
		s.room.end(s.pass)
		return
	}
	v := h.Get("Ropeline-Lease")
	if v == "" {
		return
	}
	seconds, err := strconv.Atoi(v)
	if err != nil || seconds <= 0 || seconds > int(line.MaxLease/time.Second) {
		s.room.log.Warn("the origin's Ropeline-Lease is not a number of seconds; it was ignored", "value", clip(v))
		return
	}
	s.room.line.Touch(id, time.Duration(seconds)*time.Second)
}

func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "..."
	}
	return s
}
