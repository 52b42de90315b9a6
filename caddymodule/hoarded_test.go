package caddymodule

import (
	"bytes"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ropeline/ropeline/admission"
)

// signed is a ticket as this edge, or another of the room, would have signed it.
func (e *edge) signed(t admission.Ticket) string {
	e.t.Helper()
	t.Room = "main"
	if t.VID == "" {
		t.VID = admission.NewVID()
	}
	raw, err := e.room().ring.Load().SignTicket(t)
	if err != nil {
		e.t.Fatal(err)
	}
	return raw
}

// The room was reset, another edge has given a place in the new line, and this edge has yet to hear of it, perhaps because it
// is cut off: the ticket is not known here, and must not be replaced by one that is worth less.
func TestATicketOfALineYetToBeHeardOfIsKept(t *testing.T) {
	for name, room := range map[string]string{"a line": roomWith("rate 0"), "work": roomWith("rate 0", "pow always"), "a safety net": roomWith("rate 100/s", "passthrough on")} {
		t.Run(name, func(t *testing.T) {
			e := newEdge(t, room, "")
			e.until("heard", func() bool { return e.snapshot().Epoch > 0 })
			raw := e.signed(admission.Ticket{Epoch: e.snapshot().Epoch + 1, Index: 3, IssuedAt: e.room().now()})
			cookie := e.named(ticketPart, raw)
			for uri, r := range map[string]reply{
				"navigation": e.visitor().do("GET", "/", append(navigation, "Cookie", cookie)...),
				"script":     e.visitor().do("GET", "/", "Accept", "application/json", "Cookie", cookie),
				"program":    e.visitor().do("GET", "/", "Accept", "application/json", ticketHeader, raw),
				"knock":      e.visitor().do("POST", reservedPrefix+"main/knock", "Cookie", cookie),
				"enter":      e.visitor().do("POST", reservedPrefix+"main/enter", "Cookie", cookie),
				"join":       e.visitor().postForm("join", e.solution(), append(asScript("203.0.113.7"), "Cookie", cookie)...),
			} {
				if r.StatusCode != http.StatusServiceUnavailable || len(r.Header["Set-Cookie"]) > 0 {
					t.Errorf("%s: %d, cookies %v, %.200s", uri, r.StatusCode, r.Header["Set-Cookie"], r.body)
				}
				if got := r.Header.Get(ticketHeader); got != "" && got != raw {
					t.Errorf("%s: another ticket", uri)
				}
			}
			if n := e.joined(); n != 0 {
				t.Errorf("%d places", n)
			}
		})
	}
}

// solution is that of a challenge of this room.
func (e *edge) solution() url.Values {
	e.t.Helper()
	now := e.room().now()
	raw, err := e.room().ring.Load().SignChallenge(admission.Challenge{Room: "main", Terms: e.room().conf.Load().terms(), Epoch: e.snapshot().Epoch, VID: admission.NewVID(), Bits: 1, IssuedAt: now, Expires: now.Add(time.Minute)})
	if err != nil {
		e.t.Fatal(err)
	}
	return url.Values{"challenge": {raw}, "work": {admission.SolveWork(raw, 1)}}
}

// A name without a place is given for moments: one kept for a later day, or from a line before, opens nothing that a
// newcomer would have to do for it.
func TestNamesCannotBeHoarded(t *testing.T) {
	e := newEdge(t, roomWith("rate 0", "pow always"), "")
	e.trusting(roomWith("rate 0", "pow always"))
	e.until("heard", func() bool { return e.snapshot().Epoch > 0 })
	now, epoch := e.room().now(), e.snapshot().Epoch
	for name, c := range map[string]struct {
		ticket admission.Ticket
		asked  bool
	}{
		"of a moment ago":      {admission.Ticket{Epoch: epoch, Index: admission.NoIndex, IssuedAt: now.Add(-time.Minute)}, false},
		"of yesterday":         {admission.Ticket{Epoch: epoch, Index: admission.NoIndex, IssuedAt: now.Add(-24 * time.Hour)}, true},
		"of a line before":     {admission.Ticket{Epoch: epoch - 1, Index: admission.NoIndex, IssuedAt: now.Add(-time.Minute)}, true},
		"of an unheard moment": {admission.Ticket{Epoch: 0, Index: admission.NoIndex, IssuedAt: now.Add(-time.Minute)}, false},
	} {
		m := e.visitor().do("GET", "/", "Accept", "application/json", "X-Forwarded-For", "203.0.113.7", "Cookie", e.named(ticketPart, e.signed(c.ticket))).want(t, 429).json(t)
		if asked := m["code"] == "work_required"; asked != c.asked {
			t.Errorf("%s: %v", name, m)
		}
	}
}

// An invitation is one place: once its bearer has been in and has left, nobody enters by it again.
func TestAnInvitationIsUsedUp(t *testing.T) {
	bothStores(t, func(t *testing.T, store string) {
		room := roomWith("rate 1000/s", "join invited")
		e := newEdge(t, room, store)
		var out bytes.Buffer
		if err := (inviteOptions{room: "main", count: 1, valid: time.Hour}).write(&out, filepath.Join(e.dir, "keys"), time.Now()); err != nil {
			t.Fatal(err)
		}
		form := url.Values{"code": {strings.TrimSpace(out.String())}, "to": {"/shop"}}
		v := e.visitor()
		v.postForm("invite", form, asPerson("")...).want(t, 303)
		v.enter("/shop")
		if r := e.visitor().postForm("invite", form, asScript("")...).want(t, 200).json(t); r["index"] != float64(0) {
			t.Errorf("shared while its bearer is inside: %v", r)
		}
		v.post("leave").want(t, 200)
		other := e.visitor()
		if r := other.postForm("invite", form, asScript("")...).want(t, 200).json(t); r["index"] != float64(0) {
			t.Errorf("after its bearer has left: %v", r)
		}
		if r := other.post("knock").want(t, 200).json(t); r["code"] != "already_used" {
			t.Errorf("%v", r)
		}
		if r := other.navigate("/shop").want(t, 503); !strings.Contains(r.body, `name="code"`) {
			t.Errorf("%.300s", r.body)
		}
		if n := e.joined(); n != 1 {
			t.Errorf("%d places for one invitation", n)
		}
	})
}

// Who may read the origin's answers is the origin's to say, also when they come through the safety net: `cors` is about ours.
func TestTheSafetyNetSharesNoAnswerOfTheOrigin(t *testing.T) {
	e := newEdge(t, roomWith("rate 100/s", "passthrough on", `cors "https://app.example.com"`), "")
	e.until("through", func() bool { return e.snapshot().State == "passthrough" })
	r := e.visitor().do("GET", "/account", "Origin", "https://app.example.com", "Sec-Fetch-Mode", "cors").want(t, 200)
	if got := r.Header.Get("Access-Control-Allow-Origin") + r.Header.Get("Access-Control-Allow-Credentials"); got != "" || !strings.Contains(r.body, "origin /account") {
		t.Errorf("%s is shared: %v", r.body, r.Header)
	}
}
