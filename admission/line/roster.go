package line

import (
	"slices"
	"strings"
	"time"
)

// Edge is one edge of a room as the store knows it.
type Edge struct {
	Name string
	Here bool      // it is this one
	Seen time.Time // its last tick, by the store's clock
	// Counts says that the others have its name on disk: until then it gives no passes.
	Counts bool
	// Settled says that it has the newest recall, draw and list of edges on disk.
	Settled bool
	// CutOff says that it fell silent and was taken off the list; the slots of its visitors are held until their hard ends,
	// since it may renew their passes by itself. ForgetEdge frees them.
	CutOff bool
}

// noteRoster keeps what a tick told of the edges.
func (r *Room) noteRoster(rep reply) {
	if rep.status != statusOK && rep.status != statusEarly && rep.status != statusMerge {
		return
	}
	var list []Edge
	for _, f := range rep.results {
		e := Edge{Name: f[0], Here: f[0] == r.edge, Counts: f[2] == "1", Settled: f[3] == "1"}
		if contact := num(f[1]); contact > 0 {
			e.Seen = rep.header.clock(contact)
		}
		list = append(list, e)
	}
	for _, f := range strings.Fields(rep.header.cut) {
		name, at, _ := strings.Cut(strings.TrimSuffix(f, "?"), ":")
		list = append(list, Edge{Name: name, Here: name == r.edge, Seen: rep.header.clock(num(at) - silentFor.Microseconds()), CutOff: true})
	}
	r.roster.Store(&list)
}

// silentFor is SILENT of registry.lua.
const silentFor = 15 * time.Second

// Edges lists the edges of the room and those that were cut off, as of the last tick that was answered.
func (r *Room) Edges() []Edge {
	if list := r.roster.Load(); list != nil {
		return slices.Clone(*list)
	}
	return nil
}
