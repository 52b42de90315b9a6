package caddymodule

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A reload keeps everybody: three wait, the rate changes, a broken configuration is refused, and nothing is lost (W43).
func TestReloadKeepsTheLine(t *testing.T) {
	bothStores(t, func(t *testing.T, store string) {
		e := newEdge(t, roomWith("rate 1/h", "state paused"), store)
		var waiting []*visitorClient
		for range 3 {
			v := e.visitor()
			v.navigate("/").want(t, 503)
			waiting = append(waiting, v)
		}
		before := e.room()
		if err := e.load(roomWith("rate 1/h", "state paused")); err != nil {
			t.Fatal(err)
		}
		if e.room() != before {
			t.Fatal("the same configuration made a new room")
		}
		if err := e.load(roomWith("rate 500/s", "state paused", `message "Back soon"`)); err != nil {
			t.Fatal(err)
		}
		e.until("at the new rate", func() bool { return e.snapshot().Settings.Rate.String() == "500/s" })
		if e.room() != before || e.joined() != 3 {
			t.Fatalf("the line did not survive: %d places", e.snapshot().Next)
		}
		if page := waiting[0].navigate("/"); !strings.Contains(page.body, "Back soon") {
			t.Error("the new message is not on the page")
		}
		// Broken while it is read, while it is provisioned, and while another app starts.
		for name, bad := range map[string]string{
			"option":    e.config(roomWith("rate 9/s", "rat 9/s")),
			"provision": e.config(roomWith("rate 9/s") + "\nreverse_proxy {\nlb_policy nonsense\n}"),
			"start":     strings.Replace(e.config(roomWith("rate 9/s", "state open", `message "Broken"`)), "bind unix/"+e.sock, "bind unix//nowhere/at/all", 1),
		} {
			if err := e.loadText(bad); err == nil {
				t.Fatalf("%s: a broken configuration was taken", name)
			}
			if e.room() != before || e.room().conf.Load().Message != "Back soon" {
				t.Errorf("%s: harmed the room: %+v", name, e.room().conf.Load())
			}
			e.until("at the rate before", func() bool { return e.snapshot().Settings.Rate.String() == "500/s" })
			if s := e.snapshot().State; s != "paused" {
				t.Errorf("%s: the room is %s", name, s)
			}
		}
		// A change at run time stands while the file says the same as before.
		e.admin("resume", "")
		if err := e.load(roomWith("rate 500/s", "state paused", `message "Back soon"`, `title "New"`)); err != nil {
			t.Fatal(err)
		}
		for i, v := range waiting {
			v.enter("/")
			v.navigate("/").want(t, 200)
			if p, err := e.room().checker.Load().Verify(e.cookie(v, passPart), e.room().now()); err != nil || p.Place != int64(i) {
				t.Errorf("visitor %d entered at place %d: %v", i, p.Place, err)
			}
		}
	})
}

// The embedded store remembers by the edge's own log: a restart keeps places and sessions.
func TestRestartOfAnEmbeddedStore(t *testing.T) {
	e := newEdge(t, roomWith("rate 1000/s"), "")
	in, waits := e.visitor(), e.visitor()
	in.navigate("/")
	in.enter("/")
	waits.navigate("/").want(t, 503)
	index := ticketIndex(e, waits)
	if err := e.loadText("{\nadmin off\npersist_config off\n}"); err != nil {
		t.Fatal(err)
	}
	if n := len(liveRooms()); n != 0 {
		t.Fatalf("%d rooms left behind", n)
	}
	if err := e.load(roomWith("rate 1000/s")); err != nil {
		t.Fatal(err)
	}
	in.navigate("/").want(t, 200)
	e.until("open again", func() bool { return e.snapshot().State == "open" })
	if now := ticketIndex(e, waits); now != index {
		t.Errorf("place %d became %d", index, now)
	}
	waits.enter("/")
}

func ticketIndex(e *edge, v *visitorClient) int64 {
	e.t.Helper()
	tk, err := e.room().ring.Load().VerifyTicket(e.cookie(v, ticketPart), "main", e.room().now())
	if err != nil {
		e.t.Fatal(err)
	}
	return tk.Index
}

// Nothing is made by looking: `caddy validate` provisions without starting.
func TestProvisionTouchesNoFile(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ global, want string }{
		{"keys " + dir + "/keys\ndata " + dir + "/rooms", ""},
		{"keys " + dir + "/keys\nstore redis://127.0.0.1:1/0", "ropeline keys init " + dir + "/keys"},
		{"store redis://127.0.0.1:1/0", "keys is missing"},
		{"store mysql://x", "use redis://"},
	} {
		err := provisionOnly("{\nadmin off\nropeline {\n" + c.global + "\n}\n}\nhttp:// {\nwaiting_room main {\nrate 1/s\n}\n}")
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", c.global, err)
		}
	}
	if left, _ := os.ReadDir(filepath.Clean(dir)); len(left) > 0 {
		t.Errorf("made %v", left)
	}
}
