// Command purchase measures what money costs: the ledger beside a sale without one, and the reconciliation of a million
// rows. `make bench-purchase` runs it, on a durable PostgreSQL of its own.
//
// The ledger's figures are ratios of the same work with and without a part of it, taken in turns so that a busy machine
// slows both. The reconciliation reads its report over HTTP from a server of this process: making the rows costs time
// that is in the figure.
package main
