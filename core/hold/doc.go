// Package hold is the inventory: seats, areas and fare classes, and the leases
// people have on them while they pay.
//
// A hold is a lease taken over in place. A seat is free when it is available, or
// held and past its end; a counter's due lines are given back under its lock before
// anything is decided on it. So an expired hold needs nobody to clean up after it.
//
// The pieces, in the order a transaction meets them:
//
//	Load, LockHold   lock rows in the one order, read the clock, reclaim, read
//	World            the rows in memory: pure rules change it (take.go, release.go, sell.go)
//	World.Write      set-based writes of whatever the rules changed
//
// The caller announces the Changes that Write returns, last of all, under the
// event's version.
package hold
