// Package pg is the core's way to PostgreSQL: one pool, one place that begins
// and commits, and the rules under which a COMMIT may be given up.
//
// Three of them are not obvious and are the reason why nobody calls
// pgxpool.Pool.Begin directly:
//
//   - A client deadline on COMMIT breaks zero loss. pgx answers a cancelled
//     context by sending a CancelRequest; PostgreSQL, waiting for its standby,
//     then publishes the commit without it. So COMMIT runs under
//     context.WithoutCancel, in its own goroutine, and whoever waits longer than
//     CommitWait is told "outcome_unknown".
//   - pgx also sends a CancelRequest when it gives up a connection for any other
//     reason. It needs a second connection for that, so the dial function of an
//     established connection refuses to dial again.
//   - An error from COMMIT says nothing. The caller repeats the transaction with
//     the same idempotency key: the INSERT of the key waits for the other backend.
//     A SELECT that finds nothing would prove nothing.
package pg
