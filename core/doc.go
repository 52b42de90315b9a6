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
//	refund           what a buyer gets back: tiers by time, fees, the limit over which two others must agree
//	ledger           double entry, written by the transaction of the effect; folds, seals, statements
//	outbox, ticket   what follows from a sale
//	money, pg, problem, keyfile,  leaves: amounts, the way to PostgreSQL, refusals, keys in files,
//	locale, gauge                 languages, what a process measures of itself
//
// The parts of a sale (event to ticket) never import each other: each is rules and SQL that take a transaction, and
// booking alone joins them. deps_test.go keeps it so.
//
// Three rules explain most of what looks unusual. A hold is a lease on the seat's row, taken over in place when its time
// has passed, so nothing waits for a sweeper. The clock is the database's, read in its own statement after the locks are
// held, and then an argument. And a call to the provider never happens inside a transaction: the attempt is written before,
// what came of it is evidence applied after.
//
// # An order
//
// The table is core/order/table.go; what a cell does is done in one transaction.
//
//	          declined, abandoned, never sent: may pay again
//	              +---------------------------------+
//	              v                                 |
//	     +-----------------+        pay        +-----------+
//	---> | pending_payment | ----------------> | verifying |
//	     +-----------------+                   +-----------+
//	        |          |                         |       |
//	        | hold     | cancel,                 |       | first money: keep or give back?
//	        | ended    | hold released           |       | (late-success table, core/payment/late.go)
//	        v          v                         |       |
//	   +---------+  +-----------+ <--------------+       | keep: places sold, tickets, journal
//	   | expired |  | cancelled |   cancel               v
//	   +---------+  +-----------+ <---------------- +-----------+  captured  +----------+
//	     |     ^          capture refused, cancel   | confirmed | ---------> | captured |
//	     |     |                                    +-----------+            +----------+
//	     |     +--- give back: the hold is gone          ^                        |
//	     |                                               |                        v
//	     +--- late money, event's policy is "retake" ----+     partly_refunded, refunded
//	     +--- late money returned ---> expired_refunded
//
// # A payment attempt
//
// Facts (what happened at the provider) and want (our one decision) only grow; the
// state is a function of both: core/payment/state.go.
//
//	                            +--> declined
//	                            |
//	created --commit--> sent ---+--> authorized --keep------> captured --> (partly_)refunded
//	   |                  |     |         |                      |
//	   | not worth        |     |         +--give back--> voiding --> voided
//	   | sending          |     |                                |
//	   v                  |     +--> captured (one-step) --------+--give back--> refunding --> refunded
//	abandoned             |                                           ^
//	   ^                  +--time-out--> unknown --asked, 2 5 10 20 30 s--> any of these
//	   +--- not found, three times, the last 15 min after sending --------+
//
// Given up is not forgotten: an abandoned attempt that was sent is asked about daily for as long as an authorization can
// live, and declined or abandoned ones whose money comes after all are decided like any first money. The clock of the 15
// minutes stands while the provider is away. A request is sent again only to a provider with idempotency keys, and only
// while somebody waits for it or, where authorizing only sets money aside, while nothing is decided.
//
// # What happens when this dies
//
//	dies                                  then
//	bookingd, before the attempt's COMMIT  nothing happened; the same Idempotency-Key tries again
//	bookingd, after it, before the call    the attempt is `created`: whoever claims it next sends it, or abandons it
//	                                       if the hold is over: nothing was sent, nobody is charged
//	bookingd, during the call              the attempt is `sent`: after its claim it is unknown and the provider is asked
//	bookingd, between confirm and capture  facts and want say "capture": the next claim does, with the same key
//	bookingd, before a refund's request    places are free, tickets void, the refund is `reserved`: the next claim sends it
//	bookingd, during a refund              the same, with the same key; at a provider without keys it is asked first
//	bookingd, at an approval's COMMIT      all of it or nothing: the last approval and the refund are one transaction
//	bookingd, while an event is cancelled  which orders are left is read from the orders: any process goes on
//	bookingd, during a fold of the ledger  balances, seal and cursor are one transaction: the next fold begins where it began
//	bookingd, during a reconciliation      of the report nothing is kept, or all; the lock ends with the connection, the next
//	                                       run (or `bookingd reconcile`) finds the same
//	every bookingd                         nothing is sold, nothing is lost: the rows say what is missing when one is back
//	bookingd, with a webhook half read     it is in the inbox, not done: read again, which changes nothing twice
//	the provider, before its effect        time-out: unknown, asked, sent again with the same key while somebody waits
//	the provider, after its effect         the same; the answer to the question is the fact
//	the provider, for an hour              holds end on time, orders wait as unknown, nothing is guessed
//	a webhook, for ever                    the question finds what it would have said; of money nobody asks about, the report
//	a settlement report, in its middle     it is none: it says at its end how many rows it has
//	the provider's balance                 refunds are tried on, with a new key after each refusal; after 8 tries each is a
//	                                       break with an owner
//	the provider's records, or ours        reconciliation names the difference; if money is unknown here or amounts differ, new
//	                                       payments are switched off until a person switches them on
//	the buyer's browser                    the order goes on; GET of the order shows where it is
//	a transaction that nobody ends         the fold of the ledger waits behind it, and tells after a minute; no sale waits
//	PostgreSQL, for a while                holders keep their places by its clock; what was acknowledged is there when it is back
//	PostgreSQL, during COMMIT              503 outcome_unknown; the same Idempotency-Key tells what happened
//	a batch of orders (a docket)           each of its decisions is taken again alone; none was written by half
//	a batch of webhooks (the letterbox)    none was acknowledged: the provider sends them again
//	the sweeper                            nothing: who wants a place takes back what is due first
//
// Claims are next_at pushed into the future by a transaction of its own, so several
// processes share the work and a dead one's share comes back by itself.
package core
