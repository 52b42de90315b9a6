package caddymodule

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/admission/lottery"
)

// W57, AQ8: the commitment is on the page and in the record before anybody joins; after the opening everybody can
// recompute every place from what is public, and enters in that order.
func TestTheDrawCanBeChecked(t *testing.T) {
	bothStores(t, func(t *testing.T, store string) {
		e := newEdge(t, roomWith("rate 1000/s", "state prequeue"), store)
		e.until("known", func() bool { return known(e.snapshot()) })
		first := e.visitor()
		commit, _ := first.do("GET", reservedPrefix+"main/draw").want(t, 200).json(t)["commit"].(string)
		first.do("GET", reservedPrefix+"main/draw/list").want(t, 404)
		const n = 17
		people := make([]*visitorClient, n)
		for i := range people {
			people[i] = e.visitor()
			page := people[i].navigate("/").want(t, 503)
			if i == 0 && (!strings.Contains(page.body, commit) || !strings.Contains(page.body, "place by draw")) {
				t.Error("the page does not state the rule and the commitment")
			}
		}
		if strings.Contains(first.do("GET", reservedPrefix+"main/draw").body, "secret\":") {
			t.Fatal("the secret is public before the freeze")
		}
		e.admin("open", "")
		e.until("revealed", func() bool { return e.snapshot().Draw.Revealed && e.snapshot().State == "open" })

		record := first.do("GET", reservedPrefix+"main/draw").want(t, 200).json(t)
		var secret [32]byte
		if b, err := hex.DecodeString(record["secret"].(string)); err != nil || copy(secret[:], b) != 32 {
			t.Fatalf("secret: %v", record)
		}
		var leaves [][32]byte
		for _, l := range strings.Fields(first.do("GET", reservedPrefix+"main/draw/list").want(t, 200).body) {
			b, err := hex.DecodeString(l)
			if err != nil || len(b) != 32 {
				t.Fatalf("list: %q", l)
			}
			leaves = append(leaves, [32]byte(b))
		}
		if len(leaves) != n || record["n"] != float64(n) {
			t.Fatalf("%d in the list, n %v", len(leaves), record["n"])
		}
		got := lottery.Commit(secret)
		if hex.EncodeToString(got[:]) != record["commit"] {
			t.Error("the secret is not what was committed to")
		}
		root := lottery.Root(leaves)
		seed := lottery.Seed(secret, "", root, n)
		if hex.EncodeToString(root[:]) != record["root"] || hex.EncodeToString(seed[:]) != record["seed"] {
			t.Errorf("root or seed: %v", record)
		}
		perm := lottery.NewPerm(seed, n)
		for i, v := range people {
			old := ticketOf(e, v)
			if leaves[old.Index] != lottery.Leaf(string(old.VID)) {
				t.Fatalf("visitor %d is not in the list", i)
			}
			var in reply
			e.until("in", func() bool { in = v.navigate("/"); return in.StatusCode == http.StatusSeeOther })
			p, err := e.room().checker.Load().Verify(e.cookie(v, passPart), e.room().now())
			if err != nil || p.Place != perm.Place(old.Index) {
				t.Errorf("index %d: place %d, drawn %d (%v)", old.Index, p.Place, perm.Place(old.Index), err)
			}
		}
		late := e.visitor()
		late.navigate("/")
		if tk := ticketOf(e, late); tk.Index != n {
			t.Errorf("a late one has index %d", tk.Index)
		}
	})
}

func ticketOf(e *edge, v *visitorClient) admission.Ticket {
	e.t.Helper()
	tk, err := e.room().ring.Load().VerifyTicket(e.cookie(v, ticketPart), "main", e.room().now())
	if err != nil {
		e.t.Fatal(err)
	}
	return tk
}

// After the draw the ticket itself says the place: re-signed at the next own answer.
func TestTicketsCarryTheDrawnPlace(t *testing.T) {
	e := newEdge(t, roomWith("rate 0", "state prequeue"), "")
	v := e.visitor()
	v.navigate("/").want(t, 503)
	e.visitor().navigate("/").want(t, 503)
	if ticketOf(e, v).Drawn {
		t.Fatal("drawn before the draw")
	}
	e.admin("open", "")
	e.until("revealed", func() bool { return e.snapshot().Draw.Revealed })
	r := v.post("heartbeat").want(t, 200).json(t)
	tk := ticketOf(e, v)
	if !tk.Drawn || tk.N != 2 || fmt.Sprint(tk.Place) != fmt.Sprint(r["place"]) {
		t.Errorf("ticket %+v, heartbeat %v", tk, r)
	}
}
