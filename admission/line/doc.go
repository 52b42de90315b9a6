// Package line keeps the crowd in order: who came when, whose turn it is, who is inside.
//
// All shared state of a room is in Redis, and every decision is one Lua script (the .lua files of this
// directory), so it is atomic whatever number of edges calls it and whatever their clocks say. A Room is what
// one edge does with those scripts: it collects joins, knocks and touches into batches, writes the edge's own
// log before a pass may leave, moves X once a second and opens the draw.
//
// A person's way through it:
//
//	join      an arrival index, dense, given once per visitor and identity
//	place     the index itself, or the drawn place of those who came before the opening (package lottery)
//	knock     allowed while place < X; puts the visitor at the door for 10 s
//	grant     from the head of the door, while fewer than cap are inside, entry times one gap apart
//	pick-up   within 15 s: the place is spent once the edge has logged it, then the pass may leave
//	touch     each request of the visitor keeps the lease; leave or a missing touch frees the slot
//
// A room may be a safety net (Settings.Passthrough): while nobody has to wait at the door newcomers are granted at once,
// provisionally until they come back with their tickets (through.lua).
//
// Times inside a room are room time: microseconds that advance with the store's clock but never by more than
// two seconds a step, so that a jump, a pause or an outage ends no lease and causes no burst.
//
// Losing the store loses nobody. A signed ticket says who has which index; what tickets cannot say is in the logs of the
// edges, on disk before it counts: the ceiling of indexes, X, the draw, spent places, ends of leases, what an edge
// renewed by itself, whose place is which account's, settings. A room
// whose store lost everything, or restarted and perhaps lost its last second, is `merging`: each edge reports its log
// (report.lua, merged by maximum), tickets come back as people show up, and it goes on when every registered edge has
// reported. Registration works the other way round: an edge may log what only it knows once all others have its name
// on disk (registry.lua), so no merge can end without it. A merge that misses an edge asks an operator (Room.Resume).
//
// The store is Redis by URL, or miniredis inside the process for a single edge. Both run the same scripts, and
// one suite of tests runs all of them on both.
package line
