// Package faults breaks what stands around the edge and the edge itself, as processes: kill -9, a cut or slow network, a
// stopped clock, a Redis that forgets, disks that are gone. Each test injects one fault of the catalogue (FE1 is a killed
// edge, FR3 a flushed Redis), heals it, and lets the judge recompute from the edges' grant logs, the recording origin and
// what every visitor was shown that
//
//	T1  nobody reached the origin without a pass valid at that moment
//	Q3  nobody was let in before somebody with a smaller place at the door; no place shown ever grew
//	Q4  entries are 1/rate apart and live sessions never exceed the cap
//
// and each ends with somebody new who joins and enters: a system that only keeps its promises by standing still fails.
package faults
