// Package caddymodule makes Caddy the host of the line: an app (ropeline) that owns rooms and their loops, a handler
// (waiting_room) that stands in front of any origin, their Caddyfile syntax, admin routes and commands.
//
// Where to read first: handler.go, the way of one request; wait.go, what somebody in the line is told; reserved.go, the
// routes under /.well-known/ropeline/<room>/. What is decided about places is in package admission/line; this package
// only asks, and translates the answers to HTTP.
package caddymodule
