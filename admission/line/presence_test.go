package line

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"
)

// here sends heartbeats as an edge does.
func (b *bench) here(p presence) {
	b.t.Helper()
	for _, args := range p.calls() {
		b.call(scriptPresence, args...)
	}
}

func (b *bench) bits(name string) bitmap {
	b.t.Helper()
	got, err := b.r.store.client.GetRange(b.t.Context(), b.r.key(name), 0, -1).Bytes()
	if err != nil {
		b.t.Fatal(err)
	}
	return bytes.TrimRight(got, "\x00") // the end of a block
}

// Blocks of several edges and times come together bit for bit, wherever a place stands in its block, and leave nothing beside.
func TestPresenceIsMergedByPlace(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		b := newBench(t, s, Config{})
		rnd := rand.New(rand.NewPCG(7, 2))
		var want bitmap
		for range 8 {
			p := presence{}
			mark := func(place int64) { p.set(place); want.set(place) }
			for range 300 {
				mark(rnd.Int64N(3 * presenceBlock))
			}
			for _, edge := range []int64{0, presenceBlock - 1, presenceBlock, 20*presenceBlock - 1} {
				mark(edge)
			}
			b.here(p)
			b.here(p) // an answer was lost
		}
		if !bytes.Equal(b.bits("here0"), want) {
			t.Fatal("the store's bits are not those that were set")
		}
		if n := b.r.store.client.Exists(t.Context(), b.r.key("here0")+":new").Val(); n != 0 {
			t.Fatal("the blocks are still beside the bitmap")
		}
		b.pass(80 * time.Second)
		b.here(nil)
		if !bytes.Equal(b.bits("here1"), want) || len(b.bits("here0")) != 0 {
			t.Fatal("the bitmaps did not rotate")
		}
		b.pass(80 * time.Second)
		b.here(nil)
		if len(b.bits("here1"))+len(b.bits("here0")) != 0 {
			t.Fatal("who is silent for two windows is present")
		}
	})
}

// More blocks than one call takes are all sent; more than are kept are dropped, and cost no memory.
func TestPresenceIsBounded(t *testing.T) {
	p := presence{}
	for i := range int64(hereMax + 10) {
		p.set(i * presenceBlock)
	}
	p.set(1) // of a block that is there
	blocks, calls := 0, p.calls()
	for _, args := range calls {
		if len(args) > 2*presenceMax {
			t.Fatalf("%d blocks in a call", len(args)/2)
		}
		blocks += len(args) / 2
	}
	if blocks != hereMax || len(calls) != hereMax/presenceMax || p[0][0] != 0xc0 {
		t.Fatalf("%d blocks in %d calls", blocks, len(calls))
	}
	if n := len(presence(nil).calls()); n != 1 {
		t.Fatalf("%d calls without heartbeats", n)
	}
}
