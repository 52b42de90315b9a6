package caddymodule

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ropeline/ropeline/admission"
)

// serveInvite shows the field for an invitation's code on GET, and takes it on POST. A link carries the code behind a
// #, which browsers send to nobody: it is in no log and no Referer.
func (h *Handler) serveInvite(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodPost {
		s := h.standing(visitor{}, h.room.line.Snapshot(), errInvited)
		s.To = "/"
		return h.writePageWith(w, r, s, "")
	}
	f, ok, err := h.postedForm(w, r)
	if !ok {
		return err
	}
	v := h.identify(r)
	if v.tooOften || h.forgedTooOften(r, time.Now()) {
		return h.tooOften(w, r)
	}
	if v.inside || v.hasTicket && v.ticket.Index != admission.NoIndex {
		return h.joined(w, r, v, f) // a place is a place: the invitation is not needed, nor spent
	}
	i, err := h.room.ring.Load().VerifyInvitation(strings.TrimSpace(f.Get("code")), h.Room, h.room.now())
	if err != nil {
		h.refused(err)
		h.forgedNow(r, time.Now(), 1) // guessing is as dear as any made-up token
		if !classify(r).page {
			return problem{Status: http.StatusForbidden, Code: "invitation_invalid", Answer: "wait", Detail: "This invitation is not valid, or not any more."}.write(w, r)
		}
		s := h.standing(visitor{}, h.room.line.Snapshot(), errInvited)
		s.To, s.Bad = safeTarget(f.Get("to")), true
		return h.writePageWith(w, r, s, "")
	}
	if _, err := h.take(r, &v, h.invited(i.ID), identityHash("invitation", h.Room, string(i.ID))); err != nil {
		h.carry(w, r, v, classify(r))
		return h.refuseJoin(w, r, v, err, f)
	}
	return h.joined(w, r, v, f)
}

// invited is the visitor that an invitation makes of its bearer, the same each time. An account may join again when its place
// has been used, an invitation may not: the line knows this visitor, used or not, and gives it no second place.
func (h *Handler) invited(invitation admission.VID) admission.VID {
	sum := sha256.Sum256([]byte("invited\x00" + h.Room + "\x00" + strconv.FormatInt(h.room.line.Snapshot().Epoch, 10) + "\x00" + string(invitation)))
	return admission.VID(base64.RawURLEncoding.EncodeToString(sum[:16]))
}
