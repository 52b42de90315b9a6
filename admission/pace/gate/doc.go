// Package gate measures an origin from what passes through the edges: who came, what they asked for at which age of their
// session, how long the origin took and how often it failed. Nothing of the origin is needed for it.
//
// A [Meter] is on the way of every request: it takes one lock of its own shard for some nanoseconds at the beginning and
// at the end. Once a second [Meter.Saw] adds the shards up into one text of some hundred bytes for the edge that leads, and
// there [Sum] makes the second's [pace.Gate] out of the texts of all edges.
//
// Counts only grow while a process lives, and the leader takes differences, so that a text that is read late, twice or not
// at all, or by another leader, loses nobody.
package gate
