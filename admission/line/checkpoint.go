package line

import (
	"maps"
	"slices"
)

// checkpoint is what an edge's log adds up to: all that signed tickets cannot say. It is what a store that lost
// something is told in a report.
type checkpoint struct {
	Edge    string
	Gen     string            // the life of the room this edge has reported to last
	Epoch   int64             // the line that everything below belongs to
	Term    int64             // the highest term known
	Room    map[string]string // the room's slow fields by their names in the store: phase, draw, settings
	File    map[string]string // what the file said when its settings were last written to the store
	Ceil    int64             // no index at or above it was given
	X       int64
	RT      int64 // room time of the last tick
	Tail    int64 // the last entry time known
	Seq     int64
	Known   int64 // indexes given, as of the last tick
	Clean   bool  // the embedded store was ended in order: Known is exact, RT too
	Reg     int64 // the newest list of edges, its number and its names
	RegGen  string
	Members string

	Owners owners            // which account has which place
	Spent  map[int64]bitmap  // by term
	Freed  map[int64]bitmap  // by the term that a recall began
	Leases map[string]lease  // of the present term, by visitor; those that may still run
	Ended  map[string]int64  // sessions ended in the present term; until when it must be remembered
	Waits  map[string]string // pick-ups of an edge that was struck, about which it has not spoken: "edge index"
}

// lease of a visitor inside; times are room time.
type lease struct {
	Index, Place, Entry, End, Hard int64
	Other                          bool  // neither given nor renewed by this edge
	Alone                          int64 // until when this edge may have renewed it by itself; End is what the store has acknowledged
}

func newCheckpoint() *checkpoint {
	c := &checkpoint{}
	c.begin(0)
	return c
}

// begin forgets the line of another epoch. What belongs to the edge and not to a line stays.
func (c *checkpoint) begin(epoch int64) {
	*c = checkpoint{Edge: c.Edge, Gen: c.Gen, Epoch: epoch, RT: c.RT, Tail: c.Tail, Seq: c.Seq,
		Reg: c.Reg, RegGen: c.RegGen, Members: c.Members, File: c.File, Room: map[string]string{},
		Owners: owners{}, Spent: map[int64]bitmap{}, Freed: map[int64]bitmap{}, Leases: map[string]lease{}, Ended: map[string]int64{}, Waits: map[string]string{}}
	if c.File == nil {
		c.File = map[string]string{}
	}
}

// raise begins a new term: whoever was inside in an older one is not any more.
func (c *checkpoint) raise(term int64) {
	if term > c.Term {
		c.Term = term
		clear(c.Leases)
		clear(c.Ended)
	}
}

// apply adds one record. Every record can be applied twice; one of an older epoch says nothing any more.
func (c *checkpoint) apply(r record) {
	if r.Kind != kindClean && r.Kind != kindEdge && r.Kind != kindGen {
		c.Clean = false
	}
	if r.Epoch > c.Epoch {
		c.begin(r.Epoch)
	}
	if r.Epoch != 0 && r.Epoch < c.Epoch {
		return
	}
	switch r.Kind {
	case kindEdge:
		c.Edge = r.Text
	case kindGen:
		c.Gen = r.Text
	case kindRoom:
		maps.Copy(c.Room, r.Fields)
	case kindFile:
		c.File = r.Fields
	case kindCeil:
		c.Ceil = max(c.Ceil, r.N)
	case kindTick:
		c.X = max(c.X, r.X)
		c.RT, c.Tail, c.Seq = max(c.RT, r.RT), max(c.Tail, r.Tail), max(c.Seq, r.Seq)
		c.Known = max(c.Known, r.N)
	case kindClean:
		c.Clean = true
	case kindEdges:
		c.Reg, c.RegGen, c.Members = r.N, r.Gen, r.Text
	case kindSpent:
		setIn(c.Spent, r.Term, func(b *bitmap) { b.set(r.N) })
	case kindBits:
		setIn(c.Spent, r.Term, func(b *bitmap) { b.or(r.Bits) })
	case kindFreed:
		setIn(c.Freed, r.Term, func(b *bitmap) { b.or(r.Bits) })
		c.raise(r.Term)
	case kindLease, kindEnded:
		c.session(r)
	case kindOwners:
		c.Owners.apply(r.Bits)
	case kindWaits:
		c.Waits[r.Vid] = r.Text
	}
}

func (c *checkpoint) session(r record) {
	c.Tail, c.RT = max(c.Tail, r.Entry), max(c.RT, r.RT)
	if r.Kind == kindEnded {
		setIn(c.Spent, r.Term, func(b *bitmap) { b.set(r.N) })
	}
	c.raise(r.Term)
	if r.Term < c.Term {
		return
	}
	if r.Kind == kindEnded {
		delete(c.Leases, r.Vid)
		c.Ended[r.Vid] = r.End
		return
	}
	if _, over := c.Ended[r.Vid]; over {
		return
	}
	l := lease{r.N, r.Place, r.Entry, r.End, r.Hard, r.Other, r.Alone}
	old, ok := c.Leases[r.Vid]
	if ok && !old.Other {
		l.Other = false
	}
	if !ok || l.End >= old.End {
		l.Entry, l.Alone = max(l.Entry, old.Entry), max(l.Alone, old.Alone) // a renewal does not repeat them
		c.Leases[r.Vid] = l
	}
}

// forget drops what has run out; places stay spent.
func (c *checkpoint) forget() {
	maps.DeleteFunc(c.Leases, func(_ string, l lease) bool { return l.End <= c.RT && l.Hard <= c.RT })
	maps.DeleteFunc(c.Ended, func(_ string, until int64) bool { return until <= c.RT })
}

// records is the shortest log that adds up to the same.
func (c *checkpoint) records() []record {
	out := []record{
		{Kind: kindEdge, Text: c.Edge},
		{Kind: kindGen, Text: c.Gen},
		{Kind: kindCeil, Epoch: c.Epoch, N: c.Ceil},
		{Kind: kindTick, Epoch: c.Epoch, X: c.X, RT: c.RT, Tail: c.Tail, Seq: c.Seq, N: c.Known},
		{Kind: kindEdges, Epoch: c.Epoch, N: c.Reg, Gen: c.RegGen, Text: c.Members},
		{Kind: kindFreed, Epoch: c.Epoch, Term: c.Term},
	}
	if len(c.Room) > 0 {
		out = append(out, record{Kind: kindRoom, Epoch: c.Epoch, Fields: maps.Clone(c.Room)})
	}
	if len(c.File) > 0 {
		out = append(out, record{Kind: kindFile, Epoch: c.Epoch, Fields: maps.Clone(c.File)})
	}
	for term, b := range c.Spent {
		out = append(out, record{Kind: kindBits, Epoch: c.Epoch, Term: term, Bits: slices.Clone(b)})
	}
	for term, b := range c.Freed {
		out = append(out, record{Kind: kindFreed, Epoch: c.Epoch, Term: term, Bits: slices.Clone(b)})
	}
	out = append(out, c.Owners.records(c.Epoch)...)
	for vid, l := range c.Leases {
		out = append(out, record{Kind: kindLease, Epoch: c.Epoch, Term: c.Term, Vid: vid, N: l.Index, Place: l.Place, Entry: l.Entry, End: l.End, Hard: l.Hard, Other: l.Other, Alone: l.Alone})
	}
	for vid, until := range c.Ended {
		out = append(out, record{Kind: kindEnded, Epoch: c.Epoch, Term: c.Term, Vid: vid, N: -1, End: until})
	}
	for vid, who := range c.Waits {
		out = append(out, record{Kind: kindWaits, Epoch: c.Epoch, Vid: vid, Text: who})
	}
	return out
}

func setIn(m map[int64]bitmap, term int64, change func(*bitmap)) {
	b := m[term]
	change(&b)
	if len(b) > 0 {
		m[term] = b
	}
}

// bitmap in the order of Redis: bit 0 is the highest bit of byte 0.
type bitmap []byte

func (b *bitmap) set(i int64) {
	if i < 0 {
		return
	}
	if need := i/8 + 1; need > int64(len(*b)) {
		*b = append(*b, make([]byte, need-int64(len(*b)))...)
	}
	(*b)[i/8] |= 0x80 >> (i % 8)
}

func (b bitmap) get(i int64) bool {
	return i >= 0 && i/8 < int64(len(b)) && b[i/8]&(0x80>>(i%8)) != 0
}

func (b *bitmap) or(other []byte) {
	if len(other) > len(*b) {
		*b = append(*b, make([]byte, len(other)-len(*b))...)
	}
	for i, v := range other {
		(*b)[i] |= v
	}
}
