package seatmap

import (
	"bytes"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write the golden files anew: only for a new format")

// The two maps of the golden files: a hall of eleven seats with two counters, and
// the same a moment later.
func goldenMaps() (before, after *Map) {
	g := Geometry{1, 2, 3, 4, 5, 6, 7, 8}
	before = &Map{g, Version{41, 1_760_000_000}, 11,
		Pack([]State{Available, Held, Sold, Blocked, Available, Available, Held, Held, Sold, Available, Available}),
		[]Counter{{3, 150}, {900, 7}}}
	after = &Map{g, Version{44, 1_760_000_009}, 11,
		Pack([]State{Available, Sold, Sold, Blocked, Held, Available, Available, Held, Sold, Available, Held}),
		[]Counter{{3, 100}, {900, 7}, {901, 20}}}
	return before, after
}

// Somebody's cache, page or program reads these bytes: they never change under
// the same format number.
func TestBytesAreThoseOfTheGoldenFiles(t *testing.T) {
	before, after := goldenMaps()
	delta := must(Diff(before, after))
	for name, got := range map[string][]byte{
		"snapshot.bin":  must(before.AppendBinary(nil)),
		"snapshot.json": must(before.JSON()),
		"delta.bin":     must(delta.AppendBinary(nil)),
		"delta.json":    must(delta.JSON()),
	} {
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is\n%q\nwant\n%q", name, got, want)
		}
	}
}

func TestSnapshotSurvivesTheWire(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := anyMap().Draw(t, "map")
		back, err := DecodeMap(must(m.AppendBinary(nil)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, back); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestDeltaLeadsFromOneMapToTheOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from, to := mapAndLater(t)
		d, err := DecodeDelta(must(must(Diff(from, to)).AppendBinary(nil)))
		if err != nil {
			t.Fatal(err)
		}
		if err := from.Apply(d); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(to, from); diff != "" {
			t.Fatalf("after the delta:\n%s", diff)
		}
	})
}

// A delta that does not belong to the map changes nothing of it.
func TestForeignDeltaChangesNothing(t *testing.T) {
	before, after := goldenMaps()
	d := must(Diff(before, after))
	for name, m := range map[string]*Map{
		"the map it leads to": after,
		"another geometry":    {Geometry{9}, before.Version, before.Seats, before.States, before.Counters},
		"another size":        {before.Geometry, before.Version, 10, before.States, before.Counters},
		"other seats":         {before.Geometry, before.Version, 11, make([]byte, 3), before.Counters},
	} {
		was := *m
		if err := m.Apply(d); !errors.Is(err, ErrOtherMap) {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(&was, m); diff != "" {
			t.Errorf("%s: changed\n%s", name, diff)
		}
	}
	if _, err := Diff(after, before); !errors.Is(err, ErrOtherMap) {
		t.Errorf("a delta back in time: %v", err)
	}
	gone := *after
	gone.Counters = gone.Counters[1:]
	gone.Version.V++
	if _, err := Diff(after, &gone); !errors.Is(err, ErrOtherMap) {
		t.Errorf("a counter went away: %v", err)
	}
}

// Every bit that is flipped and every length that is cut is noticed.
func TestDamagedFramesAreRefused(t *testing.T) {
	before, after := goldenMaps()
	for name, frame := range map[string][]byte{
		"snapshot": must(before.AppendBinary(nil)),
		"delta":    must(must(Diff(before, after)).AppendBinary(nil)),
	} {
		for i := range frame {
			if decodes(frame[:i]) {
				t.Errorf("%s cut to %d bytes is accepted", name, i)
			}
			for bit := range 8 {
				bad := bytes.Clone(frame)
				bad[i] ^= 1 << bit
				if decodes(bad) {
					t.Errorf("%s with bit %d of byte %d flipped is accepted", name, bit, i)
				}
			}
		}
		if decodes(append(bytes.Clone(frame), 0)) {
			t.Errorf("%s with a byte more is accepted", name)
		}
	}
}

func decodes(frame []byte) bool {
	_, err1 := DecodeMap(frame)
	_, err2 := DecodeDelta(frame)
	return err1 == nil || err2 == nil
}

// What a map of the largest kind costs, in bytes: the reason for two bits a seat.
func TestSizes(t *testing.T) {
	from, to := stadium()
	if n := len(must(from.AppendBinary(nil))); n > 15_100 {
		t.Errorf("60,000 seats are %d bytes, want 15,100 at most", n)
	}
	d := must(Diff(from, to))
	if n := len(must(d.AppendBinary(nil))); len(d.Changes) != 50 || n > 260 {
		t.Errorf("%d changes are %d bytes, want 50 in 260 at most", len(d.Changes), n)
	}
}

// stadium is a random half-sold map of 60,000 seats and the same with 50 changes.
func stadium() (from, to *Map) {
	rng := rand.New(rand.NewPCG(1, 2))
	states := make([]State, 60_000)
	for i := range states {
		states[i] = State(rng.IntN(2)) * Sold
	}
	from = &Map{Geometry{1}, Version{100_000, 1_760_000_000}, len(states), Pack(states), nil}
	for _, i := range rng.Perm(len(states))[:50] {
		states[i] = Held
	}
	to = &Map{Geometry{1}, Version{100_050, 1_760_000_001}, len(states), Pack(states), nil}
	return from, to
}

func FuzzDecodeMap(f *testing.F) {
	before, _ := goldenMaps()
	f.Add(must(before.AppendBinary(nil)))
	f.Fuzz(func(t *testing.T, frame []byte) {
		frame = resum(frame)
		m, err := DecodeMap(frame)
		if err != nil {
			return
		}
		if again := must(m.AppendBinary(nil)); !bytes.Equal(again, frame) {
			t.Fatalf("%x decodes, but is encoded as %x", frame, again)
		}
		must(m.JSON())
	})
}

func FuzzDecodeDelta(f *testing.F) {
	before, after := goldenMaps()
	f.Add(must(must(Diff(before, after)).AppendBinary(nil)))
	f.Fuzz(func(t *testing.T, frame []byte) {
		frame = resum(frame)
		d, err := DecodeDelta(frame)
		if err != nil {
			return
		}
		if again := must(d.AppendBinary(nil)); !bytes.Equal(again, frame) {
			t.Fatalf("%x decodes, but is encoded as %x", frame, again)
		}
		must(d.JSON())
		m := &Map{d.Geometry, d.From, d.Seats, make([]byte, Size(d.Seats)), nil}
		_ = m.Apply(d)
		if err := m.Check(); err != nil {
			t.Fatalf("the map is broken after the delta: %v", err)
		}
	})
}

// resum gives the frame the right checksum: else a fuzzer only ever meets that.
func resum(frame []byte) []byte {
	if len(frame) < headerSize+sumSize {
		return frame
	}
	body := bytes.Clone(frame[:len(frame)-sumSize])
	return appendUint32(body, checksum(body))
}

func BenchmarkEncode60k(b *testing.B) {
	m, _ := stadium()
	buf := make([]byte, 0, 16_000)
	b.ReportAllocs()
	for b.Loop() {
		_ = must(m.AppendBinary(buf))
	}
}

func BenchmarkApplyDelta50(b *testing.B) {
	from, to := stadium()
	d := must(Diff(from, to))
	b.ReportAllocs()
	for b.Loop() {
		m := *from
		if err := m.Apply(d); err != nil {
			b.Fatal(err)
		}
	}
}
