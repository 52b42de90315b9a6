package caddymodule

import (
	"errors"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/caddymodule/captcha"
)

const maxJoinBody = maxKept + 16<<10

// serveJoin takes a newcomer's solution, or the time it has waited without JavaScript, and gives it the place that its
// challenge names. Sent twice, it is the same visitor: one place.
func (h *Handler) serveJoin(w http.ResponseWriter, r *http.Request) error {
	f, ok, err := h.postedForm(w, r)
	if !ok {
		return err
	}
	v := h.identify(r)
	switch {
	case v.tooOften:
		return h.tooOften(w, r)
	case h.waits != nil && f.Has("page"):
		return h.joinFromPage(w, r, v, f)
	case v.hasTicket && v.ticket.Index != admission.NoIndex:
		return h.joined(w, r, v, f) // this browser has its place already, perhaps by another tab
	}
	now := time.Now()
	c, why := h.solved(r, f, now)
	switch {
	case errors.Is(why, errTooSoon):
		return h.again(w, r, f, c)
	case errors.Is(why, errBudget):
		return h.refuseJoin(w, r, v, tooMany{slowEvery}, f)
	case why != nil:
		asked.WithLabelValues(h.Room, "refused").Inc()
		return h.workInvalid(w, r, f, why)
	}
	if err := h.joinAllowed(r, now); err != nil {
		return h.refuseJoin(w, r, v, err, f)
	}
	asked.WithLabelValues(h.Room, pickWord(f.Get("work") != "", "solved", "waited")).Inc()
	if _, err := h.take(r, &v, c.VID, h.identityOf(r)); err != nil {
		h.carry(w, r, v, classify(r))
		return h.refuseJoin(w, r, v, err, f)
	}
	return h.joined(w, r, v, f)
}

var (
	errTooSoon = errors.New("pressed before the wait was over")
	errBudget  = errors.New("too many wait without JavaScript")
	errNetwork = errors.New("a challenge that was given to another network")
	errLine    = errors.New("a challenge of another line")
	errTerms   = errors.New("a challenge of a configuration that asked for something else")
)

// solved judges what stands in the form.
func (h *Handler) solved(r *http.Request, f url.Values, now time.Time) (admission.Challenge, error) {
	raw, work := f.Get("challenge"), f.Get("work")
	c, err := h.room.ring.Load().VerifyChallenge(raw, h.Room, h.room.now())
	if err != nil {
		if h.refused(err) {
			h.forgedNow(r, now, 1)
		}
		return c, err
	}
	a, limited := visitorAddr(r)
	snap := h.room.line.Snapshot()
	switch {
	case c.Prefix != (netip.Prefix{}) && (!limited || !c.Prefix.Contains(a)):
		return c, errNetwork
	case known(snap) && c.Epoch != snap.Epoch && c.Epoch != 0: // 0: given while nothing was known of the line
		return c, errLine
	case c.Terms != h.terms:
		return c, errTerms
	case work != "":
		if err := admission.CheckWork(raw, c.Bits, work); err != nil {
			return c, err
		}
		return c, h.human(r, f)
	case h.room.now().Sub(c.IssuedAt) < slowWait:
		return c, errTooSoon
	case !h.slowly(r, now):
		return c, errBudget
	}
	return c, nil
}

// human asks the CAPTCHA service, where there is one. A service that cannot be asked shuts nobody out: the work that
// was done stands alone then.
func (h *Handler) human(r *http.Request, f url.Values) error {
	if h.captcha == nil {
		return nil
	}
	token := f.Get("captcha")
	for _, name := range []string{"cf-turnstile-response", "h-captcha-response"} {
		if token == "" {
			token = f.Get(name)
		}
	}
	address := ""
	if a, limited := visitorAddr(r); limited {
		address = a.String()
	}
	err := h.captcha.Verify(r.Context(), token, address)
	switch {
	case err == nil:
		captchas.WithLabelValues(h.Room, "good").Inc()
	case errors.Is(err, captcha.ErrUnavailable):
		captchas.WithLabelValues(h.Room, "unavailable").Inc()
		h.log.Warn("the CAPTCHA service cannot be asked; newcomers join by their work alone", "room", h.Room, "error", err)
		return nil
	default:
		captchas.WithLabelValues(h.Room, "refused").Inc()
	}
	return err
}

// again shows the same challenge once more: its time runs from when it was given, not from the press.
func (h *Handler) again(w http.ResponseWriter, r *http.Request, f url.Values, c admission.Challenge) error {
	if !classify(r).page {
		return problem{Status: http.StatusTooManyRequests, Code: "too_soon", Answer: "wait", RetryAfter: int(slowWait / time.Second), Detail: "The wait in place of work is not over yet."}.write(w, r)
	}
	s := h.standing(visitor{}, h.room.line.Snapshot(), needWork{c.Bits})
	s.Challenge, s.To = f.Get("challenge"), safeTarget(f.Get("to"))
	return h.writePageWith(w, r, s, f.Get("kept"))
}

// workInvalid asks for a new try: the page gets a new challenge by itself.
func (h *Handler) workInvalid(w http.ResponseWriter, r *http.Request, f url.Values, why error) error {
	if classify(r).page {
		return seeOther(w, safeTarget(f.Get("to")))
	}
	p := problem{Status: http.StatusForbidden, Code: "work_invalid", Answer: "wait", Detail: "This solves no challenge that is good here and now. Ask for a new one by requesting any page of this site."}
	if errors.Is(why, captcha.ErrRefused) {
		p.Code, p.Detail = "captcha_refused", "The CAPTCHA was not solved. Ask for a new challenge and solve both."
	}
	return p.write(w, r)
}

func pickWord(yes bool, a, b string) string {
	if yes {
		return a
	}
	return b
}

func (h *Handler) refuseJoin(w http.ResponseWriter, r *http.Request, v visitor, err error, f url.Values) error {
	s := h.standing(v, h.room.line.Snapshot(), err)
	if classify(r).page {
		s.To = safeTarget(f.Get("to"))
		return h.writePageWith(w, r, s, f.Get("kept"))
	}
	return h.writeProblem(w, r, v, s)
}

// joined leads a newcomer on: a page to where it wanted, with its ticket; what it had filled in goes with it.
func (h *Handler) joined(w http.ResponseWriter, r *http.Request, v visitor, f url.Values) error {
	h.carry(w, r, v, classify(r))
	if !classify(r).page {
		if v.issued && r.Header.Get("Cookie") == "" {
			w.Header().Set(ticketHeader, v.raw) // a program may keep no cookies
		}
		private(w, "joined")
		return writeJSON(w, r, http.StatusOK, "application/json", map[string]any{"state": "joined", "index": v.ticket.Index, "ticket": v.raw})
	}
	to := safeTarget(f.Get("to"))
	if kept := f.Get("kept"); kept != "" {
		s := h.standing(v, h.room.line.Snapshot(), nil)
		s.To = to
		return h.writePageWith(w, r, s, kept)
	}
	return seeOther(w, to)
}

func seeOther(w http.ResponseWriter, to string) error {
	private(w, "joined")
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// safeTarget is a path of this host, whatever a form says. Of our own, only the way into the line is one to go back to.
func safeTarget(to string) string {
	u, err := url.ParseRequestURI(to)
	if err != nil || u.Host != "" || u.Scheme != "" || to[0] != '/' || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\r\n\t\x00") || strings.HasPrefix(to, reservedPrefix) && !lineURL.MatchString(to) {
		return "/"
	}
	return to
}

// postedForm reads a form of ours.
func (h *Handler) postedForm(w http.ResponseWriter, r *http.Request) (f url.Values, ok bool, err error) {
	raw, err := io.ReadAll(io.LimitReader(r.Body, maxJoinBody))
	f, perr := url.ParseQuery(string(raw))
	if err != nil || perr != nil {
		return nil, false, problem{Status: http.StatusBadRequest, Code: "invalid_form", Detail: "The form is not readable."}.write(w, r)
	}
	return f, true, nil
}
