package caddymodule

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/admission/line"
	"github.com/ropeline/ropeline/caddymodule/page"
)

const (
	maxForm  = 32 << 10
	maxKept  = 2*maxForm + 4096 // sealed, as text
	keptLife = 30 * time.Minute
	formType = "application/x-www-form-urlencoded"
)

// keptForm is what a visitor had just sent when the line stood in the way. The page carries it, sealed; nothing is
// stored here but, once it has been sent, its nonce.
type keptForm struct {
	URI   string `json:"u"`
	Body  []byte `json:"b"`
	Nonce string `json:"n"`
	At    int64  `json:"t"` // unix s, the store's clock
}

// ownForm reads a form that a page of this site has sent. ok is false for whatever cannot be kept: another type, too
// long, from another site, or of unknown length.
func ownForm(r *http.Request) (body []byte, ok bool) {
	if r.Method != http.MethodPost || !sameOrigin(r) {
		return nil, false
	}
	return readForm(r)
}

func readForm(r *http.Request) (body []byte, ok bool) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != formType || r.ContentLength < 0 || r.ContentLength > maxForm {
		return nil, false
	}
	body, err = io.ReadAll(io.LimitReader(r.Body, maxForm+1))
	return body, err == nil && len(body) <= maxForm
}

// sameOrigin is a browser's own word that a page of this site made the request.
func sameOrigin(r *http.Request) bool {
	if s := r.Header.Get("Sec-Fetch-Site"); s != "" {
		return s == "same-origin"
	}
	return r.Header.Get("Origin") != "" && !foreign(r)
}

// keep seals a form for the visitor who sent it, or will be; empty when it cannot be kept.
func (h *Handler) keep(r *http.Request, v visitor, vid admission.VID) string {
	if vid == "" || v.byHeader {
		return ""
	}
	body, ok := ownForm(r)
	if !ok {
		return ""
	}
	now := h.room.now()
	plain, err := json.Marshal(keptForm{URI: sameURL(r), Body: body, Nonce: string(admission.NewVID()), At: now.Unix()})
	if err != nil {
		return ""
	}
	text, err := h.room.ring.Load().Seal(plain, h.keptFor(vid), now)
	if err != nil {
		return ""
	}
	return text
}

func (h *Handler) keptFor(vid admission.VID) string {
	return "form\x00" + h.Room + "\x00" + string(vid)
}

// serveResume sends what was kept, once its visitor is inside; before that it is the waiting page again, which goes
// on carrying it.
func (h *Handler) serveResume(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	if r.Method != http.MethodPost {
		return problem{Status: http.StatusMethodNotAllowed, Code: "method_refused", Detail: "Use POST here."}.write(w, r)
	}
	if !sameOrigin(r) {
		return problem{Status: http.StatusForbidden, Code: "cross_site", Detail: "Only pages of this site may ask this."}.write(w, r)
	}
	raw, err := io.ReadAll(io.LimitReader(r.Body, maxKept))
	fields, perr := url.ParseQuery(string(raw))
	if err = errors.Join(err, perr); err != nil {
		return problem{Status: http.StatusBadRequest, Code: "invalid_form", Detail: "The form is not readable."}.write(w, r)
	}
	text := fields.Get("kept")
	v := h.identify(r)
	if v.inside {
		return h.sendKept(w, r, next, v, text)
	}
	if v.tooOften {
		return h.tooOften(w, r)
	}
	s := h.standing(v, h.room.line.Snapshot(), nil)
	if v.hasTicket {
		if a, err := h.tryEnter(r.Context(), v); err == nil && a.Standing == line.In {
			if err := h.setPass(w, r, v, h.admitted(v.ticket.VID, a), false); err != nil {
				return err
			}
			s.State = sawKept
		}
	}
	return h.writePageWith(w, r, s, text)
}

func (h *Handler) sendKept(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler, v visitor, text string) error {
	var f keptForm
	now := h.room.now()
	plain, err := h.room.ring.Load().Unseal(text, h.keptFor(v.pass.VID), now)
	if err == nil {
		err = json.Unmarshal(plain, &f)
	}
	target, perr := url.ParseRequestURI(f.URI)
	if err != nil || perr != nil || now.Sub(time.Unix(f.At, 0)) > keptLife {
		return problem{Status: http.StatusGone, Code: "form_gone", Detail: "What had been filled in is not available any more. Nothing was sent; please fill it in again."}.write(w, r)
	}
	if !h.room.sent.first(f.Nonce, time.Now().Add(keptLife)) {
		return problem{Status: http.StatusConflict, Code: "form_sent", Detail: "This form has been sent already."}.write(w, r)
	}
	again := r.Clone(r.Context())
	again.URL, again.RequestURI = target, f.URI
	again.Body, again.ContentLength = io.NopCloser(bytes.NewReader(f.Body)), int64(len(f.Body))
	again.Header.Set("Content-Type", formType)
	again.Header.Set("Content-Length", strconv.Itoa(len(f.Body)))
	h.room.line.Touch(string(v.pass.VID), 0)
	return h.forward(w, again, next, guard(w, &sessionOf{h.room, v.pass}), v.rawPass, true)
}

// returning answers a POST that another site, a bank, sends its visitor back with. Such a request comes without our
// Lax cookies; a page of our own that posts the same fields to the same URL brings them. ok is false when it is none.
func (h *Handler) returning(w http.ResponseWriter, r *http.Request) (ok bool, err error) {
	at := h.room.conf.Load().ReturnPath
	if at == "" || r.Method != http.MethodPost || r.URL.Path != at || sameOrigin(r) || r.Header.Get("Sec-Fetch-Site") == "" && r.Header.Get("Origin") == "" {
		return false, nil
	}
	form, good := readForm(r)
	if !good {
		return false, nil
	}
	var fields []page.Field
	for pair := range strings.SplitSeq(string(form), "&") {
		name, value, _ := strings.Cut(pair, "=")
		n, err1 := url.QueryUnescape(name)
		v, err2 := url.QueryUnescape(value)
		if err1 != nil || err2 != nil {
			return true, problem{Status: http.StatusBadRequest, Code: "invalid_form", Detail: "The form is not readable."}.write(w, r)
		}
		if pair != "" {
			fields = append(fields, page.Field{Name: n, Value: v})
		}
	}
	body, err := h.pages.RenderReturn(r.Header.Get("Accept-Language"), sameURL(r), fields)
	if err != nil {
		return true, err
	}
	private(w, "return")
	head := w.Header()
	head.Set("Content-Type", "text/html; charset=utf-8")
	head.Set("Content-Security-Policy", page.ReturnPolicy)
	head.Set("X-Frame-Options", "DENY")
	head.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	_, err = w.Write(body)
	return true, err
}
