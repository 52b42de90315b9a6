package caddymodule

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A reload that fails while another app starts leaves what an operator set by hand, and its own limits are never in
// force, not for a moment. Caddy starts apps in random order: it is tried several times.
func TestAFailedReloadLeavesWhatWasSetByHand(t *testing.T) {
	bothStores(t, func(t *testing.T, store string) {
		log := filepath.Join(t.TempDir(), "grants.jsonl")
		options := []string{"rate 50/s", "cap 2000", "grant_log " + log}
		e := newEdge(t, roomWith(options...), store)
		e.until("as the file says", func() bool { return e.snapshot().Settings.Rate.String() == "50/s" })
		e.admin("rate", `{"rate":"7/s"}`)
		e.admin("cap", `{"cap":77}`)
		e.admin("pause", "")
		e.until("set by hand", func() bool { s := e.snapshot(); return s.Settings.Cap == 77 && s.State == "paused" })
		count := func() (n int) {
			b, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			return strings.Count(string(b), `"event":"rate"`) + strings.Count(string(b), `"event":"room"`)
		}
		before := count()
		other := roomWith("rate 44/s", "cap 444", "state closed", `message "Broken"`, "grant_log "+log)
		for _, room := range []string{other, roomWith(options...)} {
			for range 6 {
				bad := strings.Replace(e.config(room), "bind unix/"+e.sock, "bind unix//nowhere/at/all", 1)
				if err := e.loadText(bad); err == nil {
					t.Fatal("a broken configuration was taken")
				}
			}
		}
		e.joined() // some ticks later
		if s := e.snapshot(); s.Settings.Rate.String() != "7/s" || s.Settings.Cap != 77 || s.State != "paused" {
			t.Errorf("after the failed reloads: %s, cap %d, %s", s.Settings.Rate, s.Settings.Cap, s.State)
		}
		if n := count(); n != before {
			b, _ := os.ReadFile(log)
			t.Errorf("%d changes of rate or state, %d before the failed reloads\n%s", n, before, b)
		}
		if m := e.room().message(); m != "" {
			t.Errorf("the message is %q", m)
		}
		if err := e.load(other); err != nil {
			t.Fatal(err)
		}
		e.until("as the new file says", func() bool {
			s := e.snapshot()
			return s.Settings.Rate.String() == "44/s" && s.Settings.Cap == 444 && s.State == "closed" && e.room().message() == "Broken"
		})
		// What a reload can break is found before the old configuration goes.
		if err := e.load(roomWith("rate 44/s", "grant_log /dev/null/grants.jsonl")); err == nil {
			t.Error("a grant log that cannot be written was taken")
		}
	})
}
