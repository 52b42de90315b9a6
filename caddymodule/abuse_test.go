package caddymodule

import (
	"bytes"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ropeline/ropeline/admission"
)

// AT9: a challenge, its solution and an invitation are neither ticket nor pass: whoever shows one as such waits, without a
// place, and the origin sees nothing.
func TestReceiptsAreNoTokens(t *testing.T) {
	e := newEdge(t, roomWith("rate 1000/s", "pow always"), "")
	m := e.visitor().do("GET", "/", "Accept", "application/json").want(t, 429).json(t)
	challenge := m["challenge"].(string)
	var invitation bytes.Buffer
	if err := (inviteOptions{room: "main", count: 1, valid: time.Hour}).write(&invitation, filepath.Join(e.dir, "keys"), time.Now()); err != nil {
		t.Fatal(err)
	}
	for name, raw := range map[string]string{"challenge": challenge, "solution": admission.SolveWork(challenge, 1), "invitation": strings.TrimSpace(invitation.String())} {
		for _, part := range []string{ticketPart, passPart} {
			v := e.visitor()
			v.Jar.SetCookies(e.url(), []*http.Cookie{{Name: part + "main", Value: raw}})
			r := v.navigate("/").want(t, 503)
			if !strings.Contains(r.body, `"state":"work"`) || !strings.Contains(strings.Join(r.Header.Values("Set-Cookie"), " "), "Max-Age=0") {
				t.Errorf("a %s as %s: %v\n%.200s", name, part, r.Header["Set-Cookie"], r.body)
			}
		}
		for _, header := range []string{ticketHeader, passHeader} {
			if r := e.visitor().do("GET", "/", "Accept", "application/json", header, raw); r.StatusCode != 429 || r.json(t)["index"] != nil {
				t.Errorf("a %s in %s: %d %s", name, header, r.StatusCode, r.body)
			}
		}
	}
	if n := e.joined(); n != 0 || len(e.origin.requests()) != 0 {
		t.Errorf("%d places, %d requests at the origin", n, len(e.origin.requests()))
	}
}

// AQ4: ten tabs of one browser are one entry. AQ12: there is nothing to enumerate: no address takes an id.
func TestOneBrowserIsOneEntry(t *testing.T) {
	e := newEdge(t, roomWith("rate 0"), "")
	v := e.visitor()
	for range 10 {
		v.navigate("/tab").want(t, 503)
	}
	if ticketOf(e, v).Index != 0 || e.joined() != 1 {
		t.Errorf("index %d of %d", ticketOf(e, v).Index, e.joined())
	}
	vid := string(ticketOf(e, v).VID)
	for _, path := range []string{vid, "0", "1", "position/" + vid, "visitors", "tickets/0", "status/" + vid, "status/0", "draw/0", "receipt/" + vid} {
		if r := e.visitor().do("GET", reservedPrefix+"main/"+path, "Accept", "application/json"); r.StatusCode != 404 || r.json(t)["code"] != "not_found" {
			t.Errorf("%s: %d %s", path, r.StatusCode, r.body)
		}
	}
	status := e.visitor().do("GET", reservedPrefix+"main/status").want(t, 200)
	if strings.Contains(status.body, vid) {
		t.Error("the public document names a visitor")
	}
}
