package caddymodule

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
)

func TestAdminAPI(t *testing.T) {
	e := newEdge(t, roomWith("rate 1/h", "state paused"), "")
	e.until("known", func() bool { return known(e.snapshot()) })
	for path, many := range map[string]bool{"/ropeline/rooms": true, "/ropeline/rooms/": true, "/ropeline/rooms/main": false} {
		w := httptest.NewRecorder()
		if err := serveAdmin(w, httptest.NewRequest("GET", path, nil)); err != nil {
			t.Fatal(err)
		}
		var one roomReport
		var err error
		if many {
			var all []roomReport
			if err = json.Unmarshal(w.Body.Bytes(), &all); err == nil && len(all) == 1 {
				one = all[0]
			}
		} else {
			err = json.Unmarshal(w.Body.Bytes(), &one)
		}
		if err != nil || one.Room != "main" || one.State != "paused" || one.RateText != "1/h" || one.Cap != 500 {
			t.Errorf("%s: %v %+v", path, err, one)
		}
	}
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/ropeline/rooms/none", "", 404, `"none"`},
		{"POST", "/ropeline/rooms/none/open", "", 404, `"none"`},
		{"POST", "/ropeline/rooms", "", 405, "GET"},
		{"GET", "/ropeline/rooms/main/open", "", 405, "POST"},
		{"POST", "/ropeline/rooms/main/shut", "", 404, "close"},
		{"POST", "/ropeline/rooms/main/rate", "", 400, `{"rate":"20/s"}`},
		{"POST", "/ropeline/rooms/main/rate", `{"rate":"fast"}`, 400, "20/s"},
		{"POST", "/ropeline/rooms/main/rate", `{"raet":"1/s"}`, 400, "raet"},
		{"POST", "/ropeline/rooms/main/cap", `{"cap":-1}`, 400, "cap"},
		{"POST", "/ropeline/rooms/main/cap", `{`, 400, "body"},
	} {
		err := adminCall(c.method, c.path, c.body)
		var api caddy.APIError
		if !errors.As(err, &api) || api.HTTPStatus != c.status || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s %s: %v", c.method, c.path, c.body, err)
		}
	}
	v := e.visitor()
	v.navigate("/").want(t, 503)
	for _, c := range []struct {
		action, body string
		seen         func() bool
	}{
		{"rate", `{"rate":"700/s"}`, func() bool { return e.snapshot().Settings.Rate.PerSecond() == 700 }},
		{"cap", `{"cap":3}`, func() bool { return e.snapshot().Settings.Cap == 3 }},
		{"resume", "", func() bool { return e.snapshot().State == "open" }},
		{"pause", "", func() bool { return e.snapshot().State == "paused" }},
		{"sold-out", "", func() bool { return e.snapshot().State == "sold_out" }},
		{"resume", "", func() bool { return e.snapshot().State == "open" }},
	} {
		e.admin(c.action, c.body)
		e.until(c.action, c.seen)
	}
	v.enter("/")
	e.admin("close", "")
	e.until("closed", func() bool { return e.snapshot().State == "closed" })
	if page := e.visitor().navigate("/").want(t, 503); !strings.Contains(page.body, "closed") {
		t.Error("the page does not say that the room is closed")
	}
	v.navigate("/").want(t, http.StatusOK) // those inside finish
}
