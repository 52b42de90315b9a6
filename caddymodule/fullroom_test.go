package caddymodule

import (
	"net/http"
	"strings"
	"testing"
)

// At the door of a full room nobody reads that it is their turn within seconds: the page and the JSON say that one goes in as
// one leaves, and how many stand before.
func TestAFullRoomPromisesNothing(t *testing.T) {
	e := newEdge(t, roomWith("rate 1000/s", "cap 3"), "")
	e.until("known", func() bool { return known(e.snapshot()) })
	for range 3 {
		e.visitor().enter("/")
	}
	e.until("full", func() bool { return e.snapshot().Live == 3 })
	v := e.visitor()
	v.navigate("/").want(t, 503)
	e.until("called", func() bool { return e.snapshot().X > 3 })
	e.until("held at the door", func() bool {
		m := v.do("POST", reservedPrefix+"main/knock", "Accept", "application/json").json(t)
		return m["state"] == "door" && m["full"] == true
	})
	page := v.navigate("/").want(t, 503)
	if strings.Contains(page.body, ">It is your turn<") || strings.Contains(page.body, ">You are next<") || !strings.Contains(page.body, ">Nobody can go in at this moment: everything inside is taken.") {
		t.Error("the page promises a turn in a full room")
	}
	m := v.do("GET", "/", "Accept", "application/json").want(t, http.StatusTooManyRequests).json(t)
	if m["full"] != true || m["state"] != "waiting" || m["wait_seconds_high"] != nil || !strings.Contains(m["detail"].(string), "one goes in as one leaves") {
		t.Errorf("a program is told %v", m)
	}
	e.admin("cap", `{"cap":9}`)
	e.until("in", func() bool {
		return v.do("POST", reservedPrefix+"main/enter", "Accept", "application/json").json(t)["state"] == "in"
	})
}
