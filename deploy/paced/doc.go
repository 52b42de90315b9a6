// Package paced sends a crowd through the real programs while something of the shop breaks, and looks at what the admission
// controller makes of it: Redis, PostgreSQL, the edge with `pace auto`, bookingd, the payment provider, and 300 buyers. The
// database loses three quarters of its connections, the provider takes ten times as long, the telemetry is cut. Each time
// the rate has to fall for the reason that is the true one, and to come back, and afterwards every promise is checked.
//
// Nothing in the programs is there for this test. The connections are taken away by a pooler between bookingd and PostgreSQL,
// which lends its server connections by transaction, as PgBouncer does; the provider is slowed by its control API; the
// telemetry goes through a proxy that drops it.
//
// `go test ./deploy/paced` takes two to three minutes. `make paced` is the long one, with a minute of everything. Both leave
// the decision log and a picture of the run in .run/paced.
package paced
