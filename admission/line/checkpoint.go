package line

import (
	"maps"
	"slices"
)

// checkpoint is what an edge's log adds up to: all that signed tickets cannot say. It is what a store that lost
// everything is rebuilt from.
type checkpoint struct {
	Edge  string
	Room  map[string]string // the room's slow fields by their names in the store: epoch, phase, draw, settings
	File  map[string]string // what the file said when its settings were last written to the store
	Ceil  int64             // no index at or above it was given
	X     int64
	RT    int64 // room time of the last tick
	Tail  int64 // the last entry time known
	Seq   int64
	Known int64 // indexes given, as of the last tick
	Clean bool  // the embedded store was ended in order: Known is exact, RT too

	Spent  bitmap
	Leases map[string]lease // by visitor; those that may still run
}

// lease of a visitor inside; times are room time.
type lease struct{ Index, Place, Entry, End, Hard int64 }

func newCheckpoint() *checkpoint {
	return &checkpoint{Room: map[string]string{}, File: map[string]string{}, Leases: map[string]lease{}}
}

// apply adds one record. Every record can be applied twice.
func (c *checkpoint) apply(r record) {
	if r.Kind != kindClean && r.Kind != kindEdge {
		c.Clean = false
	}
	switch r.Kind {
	case kindEdge:
		c.Edge = r.Text
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
	case kindSpent:
		c.Spent.set(r.N)
	case kindBits:
		c.Spent.or(r.Bits)
	case kindLease:
		l := lease{r.N, r.Place, r.Entry, r.End, r.Hard}
		if old, ok := c.Leases[r.Vid]; !ok || l.End >= old.End {
			l.Entry = max(l.Entry, old.Entry) // a renewal does not repeat it
			c.Leases[r.Vid] = l
		}
		c.Tail = max(c.Tail, l.Entry)
	case kindEnded:
		delete(c.Leases, r.Vid)
		c.Spent.set(r.N)
	}
}

// forget drops leases that have run out; their places stay spent.
func (c *checkpoint) forget() {
	maps.DeleteFunc(c.Leases, func(_ string, l lease) bool { return l.End <= c.RT })
}

// records is the shortest log that adds up to the same.
func (c *checkpoint) records() []record {
	out := []record{
		{Kind: kindEdge, Text: c.Edge},
		{Kind: kindCeil, N: c.Ceil},
		{Kind: kindTick, X: c.X, RT: c.RT, Tail: c.Tail, Seq: c.Seq, N: c.Known},
	}
	if len(c.Room) > 0 {
		out = append(out, record{Kind: kindRoom, Fields: maps.Clone(c.Room)})
	}
	if len(c.File) > 0 {
		out = append(out, record{Kind: kindFile, Fields: maps.Clone(c.File)})
	}
	if len(c.Spent) > 0 {
		out = append(out, record{Kind: kindBits, Bits: slices.Clone(c.Spent)})
	}
	for vid, l := range c.Leases {
		out = append(out, record{Kind: kindLease, Vid: vid, N: l.Index, Place: l.Place, Entry: l.Entry, End: l.End, Hard: l.Hard})
	}
	return out
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
