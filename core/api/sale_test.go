package api

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/payment/fakepay"
	"github.com/ropeline/ropeline/seatmap"
)

// Every route of the table but those of staff, who have a test of their own, is
// visited once by a sale that goes well, and every answer is held against the
// document (see validator).
func TestSaleFromSearchToTicket(t *testing.T) {
	s := open(t)
	s.do("GET", "/healthz", nil).want(http.StatusOK, "")
	s.do("GET", "/readyz", nil).want(http.StatusOK, "")
	s.do("GET", "/sign-in?return=/orders", nil).want(http.StatusOK, "")
	ada := s.buyer("ada@example.com")

	list := s.do("GET", "/v1/events?q=gig&date=2127-06-12", nil).want(http.StatusOK, "")
	if got := list.str("events", 0, "id"); got != "gig" {
		t.Fatalf("search found %s", list.body)
	}
	detail := s.do("GET", "/v1/events/gig", nil).want(http.StatusOK, "")
	if detail.str("price_from", "amount") != "3000" || detail.str("hold_seconds") != "480" {
		t.Errorf("event: %s", detail.body)
	}
	plan := s.do("GET", detail.str("geometry"), nil, "Accept-Encoding", "identity").want(http.StatusOK, "")
	if plan.str("sections", 0, "rows", 1, "seats", 0, 0) != "4" {
		t.Errorf("plan: %s", plan.body)
	}
	seats := s.do("GET", detail.str("seats"), nil, "Accept-Encoding", "identity").want(http.StatusOK, "")
	since := "/since/" + seats.str("version")
	for _, path := range []string{"/seats" + since, "/seats.bin", "/seats.bin" + since} {
		s.do("GET", "/v1/events/gig"+path, nil, "Accept-Encoding", "identity").want(http.StatusOK, "")
	}

	held := ada.do("POST", "/v1/events/gig/holds", map[string]any{"seats": []int{1, 2}, "places": []map[string]int{{"counter": 1, "quantity": 2}}}).want(http.StatusCreated, "")
	if held.str("amount") != "15000" || held.str("currency") != "EUR" {
		t.Errorf("hold: %s", held.body)
	}
	wantLease(t, held, 480+120)
	ada.do("GET", "/v1/events/gig/holds/"+held.str("id"), nil).want(http.StatusOK, "")
	ada.do("POST", "/v1/events/gig/holds/"+held.str("id")+"/extend", nil).want(http.StatusConflict, "extension_refused")
	s.db.Owner(t, `UPDATE event SET extend_by = '9 minutes', hold_cap = '9 minutes'`)
	longer := ada.do("POST", "/v1/events/gig/holds/"+held.str("id")+"/extend", nil).want(http.StatusOK, "")
	wantLease(t, longer, 540+120)
	order := ada.do("POST", "/v1/events/gig/orders", map[string]any{"hold": held.str("id")}).want(http.StatusCreated, "")
	again := ada.do("POST", "/v1/events/gig/orders", map[string]any{"hold": held.str("id")}).want(http.StatusOK, "")
	if again.str("id") != order.str("id") {
		t.Errorf("the same hold gave two orders: %s and %s", order.str("id"), again.str("id"))
	}
	if !strings.HasPrefix(order.str("card_form"), "/fakepay") {
		t.Errorf("card form at %q", order.str("card_form"))
	}
	id := order.str("id")
	pay := ada.do("POST", "/v1/orders/"+id+"/payments", map[string]any{"card_token": "tok_ok", "expected_amount": 15000}).want(http.StatusAccepted, "")
	wantLease(t, pay, 540+120)

	paid := ada.settled(id)
	if paid.str("state") != "captured" {
		t.Fatalf("order: %s", paid.body)
	}
	if orders := ada.do("GET", "/v1/orders", nil).want(http.StatusOK, ""); orders.str("orders", 0, "id") != id {
		t.Errorf("orders: %s", orders.body)
	}
	tickets := ada.do("GET", "/v1/tickets", nil).want(http.StatusOK, "")
	if n := len(tickets.get("tickets").([]any)); n != 4 {
		t.Fatalf("%d tickets, want 4: %s", n, tickets.body)
	}
	one := "/v1/tickets/" + tickets.str("tickets", 0, "id")
	ada.do("GET", one, nil).want(http.StatusOK, "")
	if qr := ada.do("GET", one+"/qr.svg", nil).want(http.StatusOK, ""); !strings.Contains(string(qr.body), "<svg") {
		t.Errorf("not a picture: %.100s", qr.body)
	}
	s.do("GET", "/v1/ticket-keys", nil).want(http.StatusOK, "")

	// Another hold is given back, and the paid order is cancelled.
	other := ada.do("POST", "/v1/events/gig/holds", map[string]any{"seats": []int{4}}).want(http.StatusCreated, "")
	if freed := ada.do("DELETE", "/v1/events/gig/holds/"+other.str("id"), nil).want(http.StatusOK, ""); freed.str("state") != "released" {
		t.Errorf("released: %s", freed.body)
	}
	ada.do("POST", "/v1/orders/"+id+"/refunds", map[string]any{"lines": []int{1}}).want(http.StatusOK, "")
	ada.do("DELETE", "/v1/orders/"+id, nil).want(http.StatusOK, "")
	s.db.Owner(t, `INSERT INTO presale VALUES (1, 1, 'Members', now(), NULL)`)
	code := hold.NewCode()
	s.db.Owner(t, `INSERT INTO presale_code VALUES (1, $1, 1, 1)`, hold.CodeHash(code))
	ada.do("POST", "/v1/events/gig/presale", map[string]any{"code": hold.NewCode()}).want(http.StatusUnprocessableEntity, "invalid_code")
	ada.do("POST", "/v1/events/gig/presale", map[string]any{"code": code}).want(http.StatusOK, "")
	best := ada.do("POST", "/v1/events/gig/holds", map[string]any{"best": map[string]any{"quantity": 2, "class": "B"}, "accept_fewer": true}).want(http.StatusCreated, "")
	if best.str("lines", 0, "seat") != "4" || best.str("lines", 1, "seat") != "5" {
		t.Errorf("the best of class B: %s", best.body)
	}
	s.api.maps.EndStreams() // so that a stream ends after its first event
	stream := ada.do("GET", "/v1/events/gig/seats/stream", nil).want(http.StatusOK, "")
	if !strings.HasPrefix(string(stream.body), "event: map\nid: ") {
		t.Errorf("stream: %s", stream.body)
	}
	s.do("GET", "/v1/events/gig/seats/stream", nil).want(http.StatusForbidden, "pass_required")
	s.signInAndOut()
	notice := `{"id": "evt_of_the_test"}`
	s.do("POST", "/webhooks/fakepay", notice, "Fakepay-Signature", fakepay.Sign(secret, time.Now(), []byte(notice))).want(http.StatusNoContent, "")

	for i := range routes {
		rt := &routes[i]
		for _, a := range rt.answers {
			if a.status != http.StatusNotModified && !rt.is(needStaff) && !s.check.seen[rt.name][a.status] {
				t.Errorf("no %d of %s was seen, so it was held against nothing", a.status, rt.name)
			}
		}
	}
}

func (s *stand) signInAndOut() {
	s.t.Helper()
	form := formType
	s.do("POST", "/sign-in", "email=nobody", "Content-Type", form).want(http.StatusUnprocessableEntity, "")
	in := s.do("POST", "/sign-in", "email=ada%40example.com&return=%2Forders", "Content-Type", form).want(http.StatusSeeOther, "")
	if in.header.Get("Location") != "/orders" || !strings.Contains(in.header.Get("Set-Cookie"), "HttpOnly; SameSite=Lax") {
		s.t.Errorf("signed in with %v", in.header)
	}
	out := s.do("POST", "/sign-out", "", "Content-Type", form, "Sec-Fetch-Site", "same-origin").want(http.StatusSeeOther, "")
	if out.header.Get("Ropeline-Session") != "end" || !strings.Contains(out.header.Get("Set-Cookie"), "Max-Age=0") {
		s.t.Errorf("signed out with %v", out.header)
	}
}

// wantLease: about as long as the hold lasts and a payment needs.
func wantLease(t *testing.T, r *reply, most int) {
	t.Helper()
	var got int
	if _, err := fmt.Sscan(r.header.Get("Ropeline-Lease"), &got); err != nil || got > most || got < most-120 {
		t.Errorf("%s: Ropeline-Lease %q, want at most %d s and not much less", r.what, r.header.Get("Ropeline-Lease"), most)
	}
}

// B10: what the cached map called free and somebody has taken meanwhile is refused
// with the seat, its state and the newer version.
func TestRefusalTellsWhatTheMapDidNot(t *testing.T) {
	s := open(t)
	ada, bob := s.buyer("ada@example.com"), s.buyer("bob@example.com")
	before := s.do("GET", "/v1/events/gig/seats", nil, "Accept-Encoding", "identity").want(http.StatusOK, "")
	packed, err := base64.StdEncoding.DecodeString(before.str("states"))
	if err != nil || seatmap.At(packed, 2) != seatmap.Available {
		t.Fatalf("map before: %s (%v)", before.body, err)
	}
	first := ada.do("POST", "/v1/events/gig/holds", map[string]any{"seats": []int{2}}).want(http.StatusCreated, "")
	second := bob.do("POST", "/v1/events/gig/holds", map[string]any{"seats": []int{1, 2}}).want(http.StatusConflict, "seat_taken")
	if second.str("seats", 0, "seat") != "2" || second.str("seats", 0, "state") != "held" || second.str("version") != first.str("version") {
		t.Errorf("the refusal says %s; the hold's version was %s", second.body, first.str("version"))
	}
	if v, err := seatmap.ParseVersion(before.str("version")); err != nil || second.str("version") != strconv.FormatInt(v.V+1, 10) {
		t.Errorf("version %s after %s (%v): versions only grow", second.str("version"), before.str("version"), err)
	}
	// The map catches up; who has the old one is told what changed, in either form.
	for deadline := time.Now().Add(time.Minute); ; {
		since := s.do("GET", "/v1/events/gig/seats/since/"+before.str("version"), nil, "Accept-Encoding", "identity").want(http.StatusOK, "")
		if strings.Contains(string(since.body), `"changes":[[2,1]]`) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("changes: %s", since.body)
		}
		time.Sleep(50 * time.Millisecond)
	}
	frame := s.do("GET", "/v1/events/gig/seats.bin", nil, "Accept-Encoding", "identity").want(http.StatusOK, "")
	if m, err := seatmap.DecodeMap(frame.body); err != nil || seatmap.At(m.States, 2) != seatmap.Held {
		t.Errorf("binary map: %x, %v", frame.body, err)
	}
	s.do("GET", "/v1/events/gig/seats/since/one", nil).want(http.StatusBadRequest, "invalid_version")
	s.do("GET", "/v1/events/gig/seats.bin/since/1.2.3", nil).want(http.StatusBadRequest, "invalid_version")
	s.do("GET", "/v1/events/nope/seats.bin", nil).want(http.StatusNotFound, "not_found")
	bob.do("POST", "/v1/events/gig/holds", map[string]any{"seats": []int{1}}).want(http.StatusCreated, "") // all or nothing: 1 stayed free
}
