package caddymodule

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"hash/maphash"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/admission/line"
)

// throughTimeout bounds what somebody waits for the word of the store before the room counts as without it.
const throughTimeout = time.Second

// How somebody came through the safety net, for the metrics.
const (
	throughCookie = "cookie"      // sent around once with the ticket, to come back with it
	throughAtOnce = "provisional" // passed on at once: perhaps it keeps no cookies
	throughNoLine = "store_away"  // passed on because the store is away (fail_open_for)
)

// safetyNet lets a newcomer through while nobody has to wait. A navigation is sent around once, with its ticket, and becomes
// a session when it comes back; whatever may not keep cookies is passed on at once under a provisional grant, without a pass.
// done is false when there is a line to stand in.
func (h *Handler) safetyNet(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler, v *visitor, k kind) (done bool, err error) {
	snap := h.room.line.Snapshot()
	placed := v.hasTicket && v.ticket.Index != admission.NoIndex
	if !snap.Settings.Passthrough || v.forged > 0 && !v.hasTicket || streaming(r) || placed && k.turn {
		return false, nil
	}
	if h.room.line.FailsOpen(nil) { // no request waits for a store that is known to be away
		return true, h.through(w, r, next, throughNoLine)
	}
	if v.ahead {
		return false, nil // nor is it sent around with another ticket
	}
	if err := h.joinAllowed(r, time.Now()); err != nil {
		return false, nil // place says so
	}
	v.counted = true
	id, around := clientID(h.Room, r), false
	if k.turn && r.Header.Get("Sec-Fetch-Mode") == "navigate" && sentAround.first(id+r.Host+r.URL.RequestURI(), time.Now()) {
		id, around = string(admission.NewVID()), true
	}
	ctx, cancel := context.WithTimeout(r.Context(), throughTimeout)
	defer cancel()
	a, err := h.room.line.PassThrough(ctx, id)
	switch {
	case err != nil && h.room.line.FailsOpen(err):
		return true, h.through(w, r, next, throughNoLine)
	case err != nil || a.Standing != line.Granted:
		return false, nil
	}
	if err := pause(r.Context(), a.EntryIn()); err != nil {
		return true, nil // gone
	}
	if !around {
		return true, h.through(w, r, next, throughAtOnce)
	}
	raw, err := h.room.ring.Load().SignTicket(admission.Ticket{Room: h.Room, Epoch: a.Epoch, VID: admission.VID(id), Index: a.Index, IssuedAt: a.Now})
	if err != nil {
		return true, err
	}
	passedThrough.WithLabelValues(h.Room, throughCookie).Inc()
	h.setCookie(w, r, ticketPart, raw, admission.TicketRetention)
	private(w, "enter")
	w.Header().Set("Location", sameURL(r))
	w.WriteHeader(http.StatusSeeOther)
	return true, nil
}

// failOpen passes on a request of somebody with a ticket who could not be asked about, which failed with cause.
func (h *Handler) failOpen(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler, cause error) (done bool, err error) {
	if !h.room.line.FailsOpen(cause) {
		return false, nil
	}
	return true, h.through(w, r, next, throughNoLine)
}

// through passes a request on without a pass: nobody has shown that it has an owner who could be given one.
func (h *Handler) through(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler, how string) error {
	passedThrough.WithLabelValues(h.Room, how).Inc()
	h.met(r, metThrough, "", unknown)
	unshare(w) // what follows is the origin's answer
	return h.passOn(w, r, next)
}

func (h *Handler) passOn(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	return h.forward(w, r, next, guard(w, nil), "", false)
}

// clientKey makes the ids below another's in each process: nobody can compute whose they are.
var clientKey = func() (k [32]byte) {
	_, _ = rand.Read(k[:]) // never fails
	return k
}()

// clientID is the same for all that one client asks for without cookies: a page with fifty images is one provisional grant
// of ten seconds and not fifty.
func clientID(room string, r *http.Request) string {
	ip, _ := caddyhttp.GetVar(r.Context(), caddyhttp.ClientIPVarKey).(string)
	sum := sha256.New()
	sum.Write(clientKey[:])
	for _, part := range []string{room, ip, r.UserAgent(), r.Header.Get("Accept-Language"), r.Header.Get("Authorization")} {
		sum.Write([]byte(part))
		sum.Write([]byte{0})
	}
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:16])
}

const (
	aroundSlots = 1 << 14 // 128 KB a process
	aroundAgain = 10 * time.Second
)

// aroundTable remembers which client was sent around to which URL in the last ten seconds: one that drops cookies would
// otherwise be sent around for ever. Two that share a cell by chance are sent around once more.
type aroundTable struct {
	seed  maphash.Seed
	cells [aroundSlots]atomic.Uint64 // 40 bits of the key's hash, 24 of the second
}

var sentAround = aroundTable{seed: maphash.MakeSeed()}

func (t *aroundTable) first(key string, now time.Time) bool {
	const secondBits = 1<<24 - 1
	h := maphash.String(t.seed, key)
	cell, at := &t.cells[h%aroundSlots], uint64(now.Unix())&secondBits
	old := cell.Load()
	if old&^secondBits == h&^secondBits && (at-old)&secondBits < uint64(aroundAgain/time.Second) {
		return false
	}
	cell.Store(h&^uint64(secondBits) | at)
	return true
}
