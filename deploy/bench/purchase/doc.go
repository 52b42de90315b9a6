// Command purchase measures what money costs: the ledger beside a sale without one, and the reconciliation of a million
// rows. `make bench-purchase` runs it, on a durable PostgreSQL of its own.
//
// The ledger's figures are ratios of the same work with and without a part of it, taken in turns so that a busy machine
// slows both. The reconciliation reads its report over HTTP from a server of this process: making the rows costs time
// that is in the figure.
//
// A purchase is sold from the hold to the captured order by the engine in this process, with a provider that answers at
// once, against pgbench writing the same rows one order at a time. Webhooks go to a bookingd of its own process at a fixed
// rate, copies, late ones and forgeries among them. `make chaos-payments` runs the section that is no measurement: it
// kills that process while the provider loses answers, and then holds the provider's own list against orders and tickets.
package main
