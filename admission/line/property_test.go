package line

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func sorted(events []Event) []Event {
	out := slices.Clone(events)
	slices.SortFunc(out, func(a, b Event) int { return int(a.Seq - b.Seq) })
	return out
}

// Whatever two edges, visitors, operators and clocks do: entry times one gap apart, never more inside than the
// cap allows, order by place among those at the door, X never falls, and every call may come twice.
func TestDoorProperties(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		name := 0
		rapid.Check(t, func(rt *rapid.T) {
			name++
			b := newBench(t, s, Config{Name: "hall" + itoa(int64(name)), Settings: Settings{
				Rate: Rate{rapid.Int64Range(0, 50).Draw(rt, "rate"), time.Second},
				Cap:  rapid.IntRange(1, 8).Draw(rt, "cap"), Idle: 20 * time.Second, Hard: 50 * time.Second,
			}})
			other := b.room(Config{Name: b.r.cfg.Name, Settings: b.r.cfg.Settings})
			b.arrive(other)
			edges := []*Room{b.r, other}
			const people = 30
			b.crowd(people)
			grant := map[int64]string{}
			used := map[int64]bool{}
			for range rapid.IntRange(20, 60).Draw(rt, "steps") {
				who := rapid.Int64Range(0, people-1).Draw(rt, "who")
				r := edges[rapid.IntRange(0, 1).Draw(rt, "edge")]
				switch rapid.SampledFrom([]string{"knock", "knock", "knock", "knock", "pick", "pick", "pass", "x", "touch", "leave", "rate", "cap", "jump", "pause"}).Draw(rt, "what") {
				case "knock", "pick":
					a, _ := b.askAt(r, who, grant[who])
					again, _ := b.askAt(r, who, grant[who])
					if a.Standing != again.Standing || a.Grant != again.Grant || a.LeaseEnd != again.LeaseEnd {
						rt.Fatalf("asked twice: %+v, then %+v", a, again)
					}
					if used[who] && a.Standing != Used && a.Standing != In {
						rt.Fatalf("visitor %d came back from used as %s", who, a.Standing)
					}
					switch a.Standing {
					case Granted:
						grant[who] = itoa(a.Grant)
					case In:
						b.call(scriptConfirm, vid(who), who, "1", 1)
						used[who] = true
					}
				case "pass":
					b.pass(time.Duration(rapid.Int64Range(1, 8000).Draw(rt, "ms")) * time.Millisecond)
				case "jump": // the store's clock jumps; the room's moves two seconds at most
					before := b.call(scriptStatus).header.rt
					b.clock += rapid.Int64Range(-3600, 3600).Draw(rt, "s") * second
					if after := b.call(scriptStatus).header.rt; after < before || after > before+2*second {
						rt.Fatalf("room time went from %d to %d", before, after)
					}
				case "x":
					b.moveX(rapid.Int64Range(0, people).Draw(rt, "x"))
				case "touch":
					b.call(scriptTouch, vid(who), 0)
				case "leave":
					if used[who] {
						b.call(scriptLeave, vid(who), who)
						b.call(scriptLeave, vid(who), who)
					}
				case "rate":
					rate := Rate{rapid.Int64Range(0, 50).Draw(rt, "rate"), time.Second}
					if err := r.Change(t.Context(), Change{Rate: &rate}); err != nil {
						rt.Fatal(err)
					}
				case "cap":
					c := rapid.IntRange(0, 8).Draw(rt, "cap")
					if err := r.Change(t.Context(), Change{Cap: &c}); err != nil {
						rt.Fatal(err)
					}
				case "pause":
					for _, action := range []Action{ActionPause, ActionResume} {
						if err := r.Change(t.Context(), Change{Action: action}); err != nil {
							rt.Fatal(err)
						}
					}
				}
			}
			b.call(scriptStatus)
			if _, err := other.call(t.Context(), scriptStatus); err != nil {
				rt.Fatal(err)
			}
			checkLog(rt, sorted(b.events))
		})
	})
}

// No late joiner is in the draw, whichever call comes first after the opening and however joins are batched.
func TestFreezeByTime(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		name := 0
		rapid.Check(t, func(rt *rapid.T) {
			name++
			opens := time.Date(2026, 11, 30, 20, 0, 10, 0, time.UTC)
			b := newBench(t, s, Config{Name: "hall" + itoa(int64(name)), Settings: Settings{State: StatePrequeue, OpensAt: opens}})
			early, given := int64(0), int64(0)
			for range rapid.IntRange(1, 12).Draw(rt, "steps") {
				b.pass(time.Duration(rapid.Int64Range(0, 2000).Draw(rt, "ms")) * time.Millisecond)
				if rapid.Bool().Draw(rt, "other call first") {
					b.call(scriptTick, "", 0, 0, 0, 0, "0")
				}
				k := rapid.Int64Range(1, 5).Draw(rt, "k")
				var vids []string
				for i := range k {
					vids = append(vids, vid(given+i))
				}
				b.join(vids...)
				given += k
				if b.clock < opens.UnixMicro() {
					early = given
				}
			}
			h := b.call(scriptStatus).header
			frozen := b.clock >= opens.UnixMicro()
			if frozen && (h.n != early || h.phase != phaseDrawing) || !frozen && (h.n != -1 || h.phase != phasePrequeue) {
				rt.Fatalf("joined before the opening: %d; n=%d, %s", early, h.n, h.phase)
			}
		})
	})
}
