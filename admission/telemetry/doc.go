// Package telemetry is what an origin may tell the edge about itself, so that people are let in at the rate it can serve:
// one JSON document, answered to GET on an internal listener, read every two seconds from every instance.
//
//	{
//	  "instance": "b3f1…", "started_at": "2026-06-01T18:00:00Z", "at": "2026-06-01T19:30:02.5Z",
//	  "resources": {
//	    "db":      {"busy_seconds": 812.4, "capacity": 20, "waiting": 3, "completed": {"page": 40112, "hold": 812, "pay": 490, "confirm": 471}},
//	    "payment": {"busy_seconds": 1290.0, "capacity": 60, "waiting": 0, "completed": {"pay": 490}}
//	  },
//	  "lock_wait_seconds": 0.004,
//	  "payment_latency_seconds": 2.6,
//	  "stock": {"available": 1900, "held": 220, "sold": 2880, "total": 5000, "expiring": [0, 3, 1]}
//	}
//
// Counters only grow while started_at stays the same; a new started_at begins a new series. Seconds are seconds of one
// server or connection: a pool of twenty that is full for a second adds twenty. Everything but instance, started_at and at
// may be left out; an origin that tells nothing is measured by what passes through the edge.
package telemetry
