package caddymodule

import (
	"encoding/hex"
	"net/http"
	"strconv"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/admission/lottery"
	"github.com/ropeline/ropeline/caddymodule/page"
)

// receipt signs what a participant can hold the draw against; empty when the visitor has no place.
func (h *Handler) receipt(v visitor) (admission.Receipt, string, error) {
	if !v.hasTicket || v.ticket.Index < 0 {
		return admission.Receipt{}, "", nil
	}
	s := h.room.line.Snapshot()
	rc := admission.Receipt{Room: h.Room, Epoch: v.ticket.Epoch, Index: v.ticket.Index, Leaf: lottery.Leaf(string(v.ticket.VID)),
		Commit: s.Draw.Commit, Source: s.Draw.EntropySource, IssuedAt: h.room.now()}
	raw, err := h.room.ring.Load().SignReceipt(rc)
	return rc, raw, err
}

// serveReceipt gives the bearer of a ticket its receipt, a line of text to keep.
func (h *Handler) serveReceipt(w http.ResponseWriter, r *http.Request) error {
	v, ok, err := h.ticketOf(w, r)
	if !ok {
		return err
	}
	_, raw, err := h.receipt(v)
	if err != nil {
		return err
	}
	private(w, "receipt")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(raw)+1))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write([]byte(raw + "\n"))
	}
	return nil
}

// serveCheck is the page behind "Check my draw".
func (h *Handler) serveCheck(w http.ResponseWriter, r *http.Request) error {
	v := h.identify(r)
	s, conf := h.room.line.Snapshot(), h.room.conf.Load()
	rc, raw, err := h.receipt(v)
	if err != nil {
		return err
	}
	c := page.Check{Title: conf.Title, Language: r.Header.Get("Accept-Language"), Base: reservedPrefix + h.Room + "/", Index: unknown, Place: unknown, N: s.N,
		Commit: hex.EncodeToString(s.Draw.Commit[:]), EntropySource: s.Draw.EntropySource, Receipt: raw, URL: siteOf(r) + reservedPrefix + h.Room + "/draw"}
	if c.Title == "" {
		c.Title = h.Room
	}
	if raw != "" {
		c.Index, c.Place, c.Leaf = rc.Index, h.room.line.Place(rc.Index), hex.EncodeToString(rc.Leaf[:])
	}
	body, err := h.pages.RenderCheck(c)
	if err != nil {
		return err
	}
	private(w, "check")
	head := w.Header()
	head.Set("Content-Type", "text/html; charset=utf-8")
	head.Set("Content-Security-Policy", h.pages.Policy())
	head.Set("X-Frame-Options", "DENY")
	head.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
	return nil
}

// siteOf is the address a visitor typed, for a command to copy.
func siteOf(r *http.Request) string {
	if secure(r) {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}
