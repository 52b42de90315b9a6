// Package booking is the spine of the core: the only package that opens
// transactions and commits them.
//
// The rules live in its siblings (hold, order, payment, ledger, ...), which take a
// transaction and know nothing of each other. Here they are put together:
//
//	Hold, Release      many requests in one transaction: see batch.go and lane.go
//	everything else    one request, one transaction: see single.go
//	Run                the loops: sweeper, purge, auditor, and those of payment
//
// Locks are taken in one order everywhere: event row, idempotency keys, account
// rows, counters, seats, order, payment, event version last. Nothing else keeps
// two transactions from waiting for each other. (The keys of holds, releases and
// extensions are looked at under the lock of their account and written last but for
// the version: nobody else ever locks one.)
//
// The clock is the database's, read after the locks (hold.World.Now) and passed on
// as a parameter.
package booking
