package caddymodule

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/ropeline/ropeline/admission"
)

// AQ7: before the pre-queue nobody gets a place, not even a millisecond before; then everybody does; after the close
// nobody does. Each edge decides by the store's clock.
func TestTheScheduleOfASale(t *testing.T) {
	soon := time.Now().Add(time.Hour).UTC()
	at := func(d time.Duration) string { return soon.Add(d).Format(time.RFC3339Nano) }
	e := newEdge(t, roomWith("rate 1000/s", "state prequeue", "prequeue_at "+at(0), "opens_at "+at(time.Hour), "closes_at "+at(2*time.Hour)), "")
	e.until("known", func() bool { return known(e.snapshot()) })
	for range 3 {
		r := e.visitor().do("GET", "/", "Accept", "application/json").want(t, 403)
		if m := r.json(t); m["code"] != "not_open" || m["state"] != "scheduled" || m["ticket"] != nil || r.Header.Get("Retry-After") == "" {
			t.Fatalf("too early: %s", r.body)
		}
		page := e.visitor().navigate("/").want(t, 503)
		if !strings.Contains(page.body, "until the line opens") || page.Header.Get("Set-Cookie") != "" {
			t.Error("the page of somebody who is early")
		}
	}
	if s := e.visitor().do("GET", reservedPrefix+"main/status").json(t); s["state"] != "scheduled" || s["prequeue_at"] != float64(soon.UnixMilli()) {
		t.Errorf("status %v", s)
	}
	if n := e.joined(); n != 0 {
		t.Fatalf("%d places before the pre-queue", n)
	}
	r := e.room()
	begin := r.prequeueAt()
	for d, early := range map[time.Duration]bool{-time.Hour: true, -time.Millisecond: true, 0: false, time.Millisecond: false} {
		if got := begin.Add(d).Before(begin); got != early {
			t.Errorf("%s from the beginning: %v", d, got)
		}
	}
	past := func(d time.Duration) string { return time.Now().Add(-d).UTC().Format(time.RFC3339Nano) }
	if err := e.load(roomWith("rate 1000/s", "state prequeue", "prequeue_at "+past(time.Hour), "closes_at "+at(time.Hour))); err != nil {
		t.Fatal(err)
	}
	v := e.visitor()
	v.navigate("/").want(t, 503)
	if tk := ticketOf(e, v); tk.Index != 0 {
		t.Errorf("the first one has index %d", tk.Index)
	}
	// closes_at, once: an operator who opens again is not overruled.
	r.scheduleStep(t.Context(), r.closesAt().Add(-time.Millisecond))
	if e.snapshot().State == "closed" {
		t.Fatal("closed early")
	}
	r.scheduleStep(t.Context(), r.closesAt())
	if s := e.snapshot().State; s != "closed" {
		t.Fatalf("after closes_at the room is %s", s)
	}
	e.visitor().do("GET", "/", "Accept", "application/json").want(t, http.StatusGone)
	if n := e.joined(); n != 1 {
		t.Errorf("%d places", n)
	}
	e.admin("open", "")
	r.scheduleStep(t.Context(), r.closesAt().Add(time.Second))
	if s := e.snapshot().State; s == "closed" {
		t.Error("the operator was overruled")
	}
	log := fmt.Sprint(e.auditRecords())
	if !strings.Contains(log, "schedule state") {
		t.Errorf("the closing is not in the audit log: %s", log)
	}
}

func TestScheduleErrors(t *testing.T) {
	for want, lines := range map[string][]string{
		"needs state prequeue": {"prequeue_at 2030-01-01T10:00:00Z"},
		"not before opens_at":  {"state prequeue", "prequeue_at 2030-01-01T10:00:00Z", "opens_at 2030-01-01T10:00:00Z"},
		"not after":            {"state prequeue", "closes_at 2030-01-01T10:00:00Z", "opens_at 2030-01-01T10:00:00Z"},
		"with its zone":        {"closes_at tomorrow"},
	} {
		_, err := adapt("http:// {\n" + roomWith(append(lines, "rate 1/s")...) + "\n}")
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v, want %q", lines, err, want)
		}
	}
}

// A room with a public entropy source opens when the value is given, and its draw is made with it.
func TestEntropyIsGivenThroughTheEdge(t *testing.T) {
	e := newEdge(t, roomWith("rate 1000/s", "state prequeue", `entropy_source "draw of 5 May"`), "")
	e.until("known", func() bool { return known(e.snapshot()) })
	v := e.visitor()
	v.navigate("/").want(t, 503)
	if err := adminCall("POST", "/ropeline/rooms/main/entropy", `{"entropy":"7 11"}`); apiStatus(err) != 409 {
		t.Errorf("before the freeze: %v", err)
	}
	e.admin("open", "")
	e.until("frozen", func() bool { return e.snapshot().State == "drawing" && e.snapshot().Draw.Root != [32]byte{} })
	e.admin("entropy", `{"entropy":"7 11","who":"ann"}`)
	e.until("open", func() bool { return e.snapshot().Draw.Revealed })
	if err := adminCall("POST", "/ropeline/rooms/main/entropy", `{"entropy":"8"}`); apiStatus(err) != 409 {
		t.Errorf("another value: %v", err)
	}
	if d := v.do("GET", reservedPrefix+"main/draw").json(t); d["entropy"] != "7 11" || d["seed"] == nil {
		t.Errorf("the record: %v", d)
	}
	v.enter("/")
}

// AT25, W33: an old but genuine ticket keeps its place and is issued anew; one beyond the retention is a newcomer's.
func TestOldTicketsAreIssuedAnew(t *testing.T) {
	e := newEdge(t, roomWith("rate 1/h"), "")
	e.visitor().navigate("/")
	v := e.visitor()
	v.navigate("/")
	tk := ticketOf(e, v)
	now := e.room().now()
	date := func(age time.Duration) string {
		tk.IssuedAt = now.Add(-age)
		raw, err := e.room().ring.Load().SignTicket(tk)
		if err != nil {
			t.Fatal(err)
		}
		v.Jar.SetCookies(e.url(), []*http.Cookie{{Name: ticketPart + "main", Value: raw, Path: "/"}})
		return raw
	}
	for age, anew := range map[time.Duration]bool{time.Hour: false, 25 * time.Hour: true, admission.TicketRetention - time.Hour: true} {
		raw := date(age)
		v.navigate("/").want(t, 503)
		if got := ticketOf(e, v); got.Index != tk.Index || got.VID != tk.VID {
			t.Errorf("%s old: place %d became %d", age, tk.Index, got.Index)
		}
		if (e.cookie(v, ticketPart) != raw) != anew {
			t.Errorf("%s old: issued anew is %v", age, !anew)
		}
	}
	date(admission.TicketRetention + time.Hour)
	v.navigate("/").want(t, 503)
	if got := ticketOf(e, v); got.VID == tk.VID || got.Index != 2 {
		t.Errorf("beyond the retention: %+v", got)
	}
}
