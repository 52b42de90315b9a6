package caddymodule

import (
	"net/http"
	"strings"
	"testing"

	"github.com/ropeline/ropeline/admission/line"
)

// A room that is sold out keeps everybody's place, says so on the page and to programs, survives a restart of the edge and
// goes on where it was.
func TestSoldOutIsAPauseWithItsOwnWord(t *testing.T) {
	bothStores(t, func(t *testing.T, store string) {
		e := newEdge(t, roomWith("rate 1000/s", "cap 1"), store)
		in, waits := e.visitor(), e.visitor()
		in.navigate("/")
		in.enter("/")
		waits.navigate("/").want(t, 503)
		e.admin("sold-out", `{"why":"the last seat is gone"}`)
		e.until("sold out", func() bool { return e.snapshot().State == "sold_out" })
		if page := waits.navigate("/").want(t, 503); !strings.Contains(page.body, "Sold out") {
			t.Error("the page does not say that it is sold out")
		}
		in.navigate("/").want(t, http.StatusOK) // those inside finish
		in.do("POST", reservedPrefix+"main/leave")
		knock := waits.do("POST", reservedPrefix+"main/knock", "Accept", "application/json")
		if !strings.Contains(knock.body, `"state":"sold_out"`) {
			t.Errorf("a knock: %d %s", knock.StatusCode, knock.body)
		}
		if s := e.snapshot().Settings.State; s != line.StateSoldOut {
			t.Errorf("settings say %s", s)
		}
		e.admin("resume", "")
		waits.enter("/")
	})
}
