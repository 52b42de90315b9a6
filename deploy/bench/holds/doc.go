// Command holds measures how many holds a second the booking core commits, against the plain way to do it, both in one
// run on the same PostgreSQL with fsync and synchronous_commit on:
//
//	the reference   pgbench with the statements in reference/: one transaction a hold, best of several client counts
//	the ceiling     the same rows, a hundred holds to a transaction, and nobody who decides anything
//	the engine      core/booking in this process
//	HTTP            bookingd as a process of its own, with account, pass and Idempotency-Key on every request
//
// Each figure is a line `BENCH name value a=<ours> b=<reference> n=<runs> spread=<max/min>`; lines that begin with # say
// what was done and how busy the machine was before it. `holds -h` lists the flags, `make bench-holds` runs it.
//
// What is held here lapses after half a second, so that a run of any length finds free seats; taking over a lapsed hold
// is no less work for the engine than taking a seat that was never held. The generator of the load runs on the same machine and
// its cost is in every figure of HTTP.
package main
