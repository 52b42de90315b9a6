package line

import (
	"os"
	"strings"
	"testing"
	"time"
)

// Every script runs on both stores and says the same.
func TestEveryScript(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		b := newBench(t, s, Config{Settings: Settings{State: StatePrequeue, EntropySource: "the draw of Monday"}})
		h := b.call(scriptStatus).header
		if h.phase != phasePrequeue || h.n != -1 || h.next != 0 || h.ceil != firstCeiling || h.rate != "20/s" {
			t.Fatalf("a new pre-queue is %+v", h)
		}
		if got := b.join("a", "b", "a", "c"); got[0] != 0 || got[1] != 1 || got[2] != 0 || got[3] != 2 {
			t.Fatalf("join gave %v", got)
		}
		b.call(scriptReturn, "z", 7, "id-z")
		if got := b.join("z", "d"); got[0] != 7 || got[1] != 8 {
			t.Fatalf("after return join gave %v", got)
		}
		if a, _ := b.ask(0, ""); a.Standing != Waiting {
			t.Fatalf("before the opening a knock is %s", a.Standing)
		}
		if err := b.r.Change(t.Context(), Change{Action: ActionOpen}); err != nil {
			t.Fatal(err)
		}
		if h = b.call(scriptStatus).header; h.phase != phaseDrawing || h.n != 9 {
			t.Fatalf("opened by hand: %s n=%d", h.phase, h.n)
		}
		if rep := b.call(scriptReveal, "", "", "s", "e"); rep.status != statusEarly {
			t.Fatalf("a reveal without root is %s", rep.status)
		}
		if rep := b.call(scriptRoot, 9, "ab"); rep.status != statusOK {
			t.Fatalf("root is %s", rep.status)
		}
		if rep := b.call(scriptRoot, 9, "cd"); rep.status != statusRoot || rep.header.root != "ab" {
			t.Fatalf("a second root is %s %s", rep.status, rep.header.root)
		}
		if snap := b.r.Snapshot(); snap.State != string(StatePaused) || snap.Reason != "draw_conflict" {
			t.Fatalf("after a second root the room is %s for %q", snap.State, snap.Reason)
		}
		if err := b.r.Resume(t.Context(), 0, 0); err != nil {
			t.Fatal(err)
		}
		if rep := b.call(scriptEntropy, "17"); rep.status != statusOK {
			t.Fatalf("entropy is %s", rep.status)
		}
		if rep := b.call(scriptEntropy, "18"); rep.status != statusGiven {
			t.Fatalf("a second entropy is %s", rep.status)
		}
		if rep := b.call(scriptReveal, "ab", "17", "5ec3e7", "5eed"); rep.status != statusEarly {
			t.Fatalf("a reveal before the root is on disk is %s", rep.status)
		}
		b.settle()
		for range 2 {
			if rep := b.call(scriptReveal, "ab", "17", "5ec3e7", "5eed"); rep.status != statusOK || rep.header.phase != phaseOpen {
				t.Fatalf("reveal is %s %s", rep.status, rep.header.phase)
			}
		}
		if n := len(b.kinds(EventDraw)); n != 1 {
			t.Fatalf("%d draw events", n)
		}
		b.call(scriptRaise, 20000)
		if h = b.call(scriptRaise, 15000).header; h.ceil != 20000 {
			t.Fatalf("the ceiling is %d", h.ceil)
		}
		b.call(scriptPresence, 0, "\x18", 12, "\x08") // 3, 4, 100
		s4, err := s.client.GetBit(t.Context(), b.r.key("here0"), 4).Result()
		if err != nil || s4 != 1 {
			t.Fatalf("presence of place 4: %d %v", s4, err)
		}
		b.pass(80 * time.Second)
		b.call(scriptPresence, 0, "\x04")
		if old, _ := s.client.GetBit(t.Context(), b.r.key("here1"), 4).Result(); old != 1 {
			t.Fatal("the bitmaps did not rotate")
		}
		b.moveX(9)
		a, _ := b.ask(8, "") // place 0
		if a.Standing != Granted || a.Place != 0 {
			t.Fatalf("knock: %+v", a)
		}
		if a, _ = b.ask(8, itoa(a.Grant)); a.Standing != In {
			t.Fatalf("pick-up: %+v", a)
		}
		b.call(scriptConfirm, vid(8), 8, "1", 1)
		if rep := b.call(scriptTouch, vid(8), 0, vid(1), 0); num(rep.results[0][0]) <= rep.header.rt || rep.results[1][0] != "-1" {
			t.Fatalf("touch: %v", rep.results)
		}
		b.call(scriptLeave, vid(8), 8)
		if a, _ = b.ask(8, ""); a.Standing != Used {
			t.Fatalf("after leaving: %+v", a)
		}
		if h = b.call(scriptStatus).header; h.live != 0 || h.grants != 1 || h.pickups != 1 || h.out != 1 {
			t.Fatalf("counts: %+v", h)
		}
	})
}

// The rules for the embedded store, which the scripts must keep: its TTLs never run and its ranges are O(n).
func TestScriptsSuitTheEmbeddedStore(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	scripts := 0
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".lua") {
			continue
		}
		scripts++
		text, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		for i, l := range strings.Split(string(text), "\n") {
			for _, ranged := range []string{"RANGE", "RANK", "COUNT", "ZCARD", "POP"} {
				if strings.Contains(l, ranged) && strings.Contains(l, ", line") {
					t.Errorf("%s:%d ranges, ranks or counts over line: %s", f.Name(), i+1, l)
				}
			}
			for _, ttl := range []string{"EXPIRE", "'EX'", "'PX'", "SETEX"} {
				if strings.Contains(l, ttl) && !strings.Contains(l, "'EXPIRE', out,") {
					t.Errorf("%s:%d rests on a key's TTL: %s", f.Name(), i+1, l)
				}
			}
			if strings.Contains(l, "cjson") && !strings.HasPrefix(l, "--") {
				t.Errorf("%s:%d uses cjson, whose numbers differ between the stores", f.Name(), i+1)
			}
		}
	}
	if scripts < 16 {
		t.Fatalf("found only %d scripts", scripts)
	}
}
