package caddymodule

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/ropeline/ropeline/admission"
)

// routes are all there is below /.well-known/ropeline/<room>/.
var routes = map[string]struct {
	method string
	serve  func(*Handler, http.ResponseWriter, *http.Request) error
}{
	"status":    {http.MethodGet, (*Handler).serveStatus},
	"jwks.json": {http.MethodGet, (*Handler).serveJWKS},
	"draw":      {http.MethodGet, (*Handler).serveDraw},
	"receipt":   {http.MethodGet, (*Handler).serveReceipt},
	"check":     {http.MethodGet, (*Handler).serveCheck},
	"draw/list": {http.MethodGet, (*Handler).serveDrawList},
	"knock":     {http.MethodPost, (*Handler).serveKnock},
	"enter":     {http.MethodPost, (*Handler).serveEnter},
	"renew":     {http.MethodPost, (*Handler).serveRenew},
	"leave":     {http.MethodPost, (*Handler).serveLeave},
	"join":      {http.MethodPost, (*Handler).serveJoin},
	"invite":    {http.MethodGet, (*Handler).serveInvite}, // and POST
	"heartbeat": {http.MethodPost, (*Handler).serveHeartbeat},
	"wait":      {http.MethodGet, (*Handler).serveWaitPage}, // and wait/<version>/<language>
	"line":      {http.MethodGet, (*Handler).serveLine},
}

func (h *Handler) serveReserved(w http.ResponseWriter, r *http.Request, route string) error {
	if strings.HasPrefix(route, "wait/") {
		route = "wait"
	}
	def, ok := routes[route]
	if !ok {
		return problem{Status: http.StatusNotFound, Code: "not_found", Detail: "The waiting room has no such address."}.write(w, r)
	}
	if done, err := h.preflight(w, r); done {
		return err
	}
	h.share(w, r)
	both := route == "invite" && r.Method == http.MethodPost
	if r.Method != def.method && !both && !(def.method == http.MethodGet && r.Method == http.MethodHead) {
		return problem{Status: http.StatusMethodNotAllowed, Code: "method_refused", Detail: "Use " + def.method + " here."}.write(w, r)
	}
	if r.Method == http.MethodPost && fromElsewhere(r) && !h.allowed(r) {
		return problem{Status: http.StatusForbidden, Code: "cross_site", Detail: "Only pages of this site may ask this."}.write(w, r)
	}
	return def.serve(h, w, r)
}

func (h *Handler) serveJWKS(w http.ResponseWriter, r *http.Request) error {
	return public(w, r, h.room.ring.Load().JWKS(h.room.now()), "application/jwk-set+json", "public, max-age=300")
}

func (h *Handler) serveDraw(w http.ResponseWriter, r *http.Request) error {
	b, err := json.Marshal(newDrawDoc(h.Room, h.room.line.Snapshot()))
	if err != nil {
		return err
	}
	return public(w, r, append(b, '\n'), "application/json", "public, max-age=1, s-maxage=1")
}

func (h *Handler) unavailable(w http.ResponseWriter, r *http.Request) error {
	return problem{Status: http.StatusServiceUnavailable, Code: "line_unavailable", RetryAfter: 2, Answer: "wait",
		Detail: "The line cannot be reached for a moment. No place is lost."}.write(w, r)
}

// ticketOf gets the visitor of a POST that needs a place; ok is false when an answer has been written.
func (h *Handler) ticketOf(w http.ResponseWriter, r *http.Request) (v visitor, ok bool, err error) {
	if v = h.identify(r); v.tooOften {
		return v, false, h.tooOften(w, r)
	}
	if v.ahead {
		return v, false, h.unavailable(w, r)
	}
	unplaced := v.hasTicket && v.ticket.Index == admission.NoIndex
	if !v.hasTicket && v.otherLine {
		return v, false, problem{Status: http.StatusUnauthorized, Code: "unknown_epoch", Answer: "wait",
			Detail: "This ticket is of a line that has ended. A request to any page of this site gives a place in the present one."}.write(w, r)
	}
	if !v.hasTicket || unplaced && r.Method != http.MethodPost {
		return v, false, problem{Status: http.StatusUnauthorized, Code: "ticket_required", Answer: "wait",
			Detail: "Send the ticket, as cookie or in " + ticketHeader + ". A request to any page of this site gives one."}.write(w, r)
	}
	// A place that is known to be spent is answered from memory, however often its ticket comes.
	if !h.room.used.has(v.ticket, h.room.line.Snapshot()) && !h.room.knocks.allow(string(v.ticket.VID)) {
		limitFields(w, "knocks", knockLimitText, 1)
		return v, false, problem{Status: http.StatusTooManyRequests, Code: "slow_down", Answer: "wait", RetryAfter: 1,
			Detail: "Asked too often. The place is kept; ask once a second at most."}.write(w, r)
	}
	if unplaced {
		// Given while there was no store to give a place: whoever came then and only knocks now must not be told to
		// come again for ever.
		if _, err := h.place(r, &v, kind{joins: true}); err != nil {
			return v, false, h.unavailable(w, r)
		}
	}
	return v, true, nil
}

// wantsHeader says whether a client carries its tokens in headers.
func (v visitor) wantsHeader(r *http.Request) bool {
	return v.byHeader || strings.Contains(r.Header.Get("Accept"), "json") && r.Header.Get("Cookie") == ""
}
