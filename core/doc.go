// Package core is the root of the booking core, one possible origin behind the waiting room: seats, holds, orders,
// payments, the ledger and tickets, in PostgreSQL. It holds no code; this is the way through what lies below.
//
//	cmd/bookingd     the program: serve, migrate, import
//	api              HTTP: one route table, one place that turns an error into an answer, pass and account checks
//	web              the storefront, a client of the API like any other
//	booking          the spine, and the only package that opens and commits a transaction
//	event            what is sold: venues, seats, prices, import files
//	hold             who may have which places until when
//	order, payment   the two state machines, as tables; payment/fakepay is a provider that can be broken on purpose
//	ledger           double entry, written by the transaction of the effect
//	outbox, ticket   what follows from a sale
//	money, pg, problem   leaves: amounts, the way to PostgreSQL, refusals
//
// The parts of a sale (event to ticket) never import each other: each is rules and SQL that take a transaction, and
// booking alone joins them. deps_test.go keeps it so.
//
// Three rules explain most of what looks unusual. A hold is a lease on the seat's row, taken over in place when its time
// has passed, so nothing waits for a sweeper. The clock is the database's, read in its own statement after the locks are
// held, and then an argument. And a call to the provider never happens inside a transaction: the attempt is written before,
// what came of it is evidence applied after.
package core
