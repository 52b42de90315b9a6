package caddymodule

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ropeline/ropeline/admission"
)

// AT18, W58, W54: a running edge follows its keys. A rotation is not noticed by anybody; a recalled pass key sends
// those inside back to their session by the ticket, and no place is lost.
func TestARunningEdgeFollowsItsKeys(t *testing.T) {
	e := newEdge(t, roomWith("rate 1000/s"), "")
	dir := filepath.Join(e.dir, "keys")
	v := e.visitor()
	v.navigate("/")
	v.enter("/")
	index, old := ticketOf(e, v).Index, e.cookie(v, passPart)
	next, err := admission.RotateKey(dir, admission.UsePass, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	e.until("published", func() bool {
		return strings.Contains(v.do("GET", reservedPrefix+"main/jwks.json").body, next.Kid)
	})
	v.navigate("/").want(t, 200)
	var out bytes.Buffer
	if err := listKeys(&out, dir, time.Now()); err != nil || strings.Count(out.String(), "\n") != 5 {
		t.Fatalf("%v\n%s", err, out.String())
	}
	signer := ""
	for line := range strings.Lines(out.String()) {
		if f := strings.Fields(line); f[1] == "pass" && f[3] == "signs" {
			signer = f[0]
		}
	}
	if _, err := admission.RecallKey(dir, signer, time.Now()); err != nil {
		t.Fatal(err)
	}
	e.until("refused", func() bool {
		return v.do("GET", "/", "Accept", "application/json", "Ropeline-Pass", old, "Ropeline-Ticket", e.cookie(v, ticketPart)).StatusCode == 429
	})
	v.enter("/") // the same session, by the ticket, with a pass of the new key
	if tk := ticketOf(e, v); tk.Index != index {
		t.Errorf("index %d became %d", index, tk.Index)
	}
	v.navigate("/").want(t, 200)
	if n := e.joined(); n != 1 {
		t.Errorf("%d places", n)
	}
}
