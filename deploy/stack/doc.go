// Package stack starts everything a sale needs as child processes on free ports, and leaves nothing behind.
//
//	PostgreSQL -> Redis -> fakepay -> bookingd (migrate, import, serve) -> edge
//
// They start in this order and stop in the reverse one; each start waits for a readiness check, not for a time, and
// shows a line of progress. A child lives in its own process group (a Ctrl-C in the terminal must not reach PostgreSQL
// before bookingd has stopped) and, on Linux, dies with its parent even when that is killed with -9. All data and logs
// lie below one directory.
//
// The demo, the smoke run, the browser test and the process-kill test are its users.
package stack
