package caddymodule

import (
	"net/http"
	"strings"
	"testing"

	"github.com/ropeline/ropeline/admission/line"
)

// A program whose place is spent is told so, whether it ever entered by itself or not, and how to get another: by its second
// request it has one if it keeps cookies. Looking takes no turn, and who is still inside is not called spent.
func TestAProgramHearsThatItsPlaceIsSpent(t *testing.T) {
	bothStores(t, func(t *testing.T, store string) {
		e := newEdge(t, roomWith("rate 1000/s", "cap 5"), store)
		v := e.visitor()
		ask := func() reply { return v.do("GET", "/api", "Accept", "application/json") }
		ask().want(t, http.StatusTooManyRequests)
		e.until("called", func() bool { return ask().json(t)["state"] == sawNext })
		ticket := e.cookie(v, ticketPart)
		byHeader := func() reply {
			return e.bare().do("GET", "/api", "Accept", "application/json", ticketHeader, ticket)
		}
		for range 3 {
			if m := byHeader().json(t); m["state"] != sawNext || m["code"] != "admission_required" {
				t.Fatalf("called: %v", m)
			}
		}
		if s := e.snapshot(); s.Door != 0 || s.Live != 0 {
			t.Fatalf("looking went to the door: %d there, %d inside", s.Door, s.Live)
		}
		v.post("enter").want(t, 200)
		if m := byHeader().json(t); m["state"] != sawNext {
			t.Fatalf("inside, asked without the pass: %v", m)
		}
		// Another edge ends the session: this one has never heard that the place is spent.
		if err := e.room().line.Leave(t.Context(), line.Visitor{ID: string(ticketOf(e, v).VID), Index: 0}); err != nil {
			t.Fatal(err)
		}
		m := byHeader().want(t, http.StatusTooManyRequests)
		if j := m.json(t); j["code"] != "already_used" || j["state"] != "used" || j["leave_out"] != "header Ropeline-Ticket" || m.Header.Get("Ropeline-Answer") != "used" ||
			m.Header.Get("Retry-After") == "" || !strings.Contains(j["detail"].(string), "without the ticket") {
			t.Fatalf("%v %v", m.Header, j)
		}
		e.until("refused", func() bool { return ask().StatusCode == http.StatusTooManyRequests }) // the pass has ended too
		var again reply
		e.until("in line again", func() bool { again = ask(); return again.json(t)["index"] == float64(1) })
		if c := e.cookie(v, ticketPart); c == ticket {
			t.Error("the spent ticket is still there")
		}
	})
}
