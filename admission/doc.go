// Package admission is the line and the door, without Caddy and without a database.
//
// A visitor holds a [Ticket]: a place in the line, signed with a key that only the edges have. On entering it earns
// a [Pass]: a short-lived right to be inside, signed so that any origin can check it (see [Verifier]) and none can
// mint one. The two have different types, different keys and different algorithms; one never works as the other.
//
// The parts:
//
//	ticket.go pass.go   what the tokens say, how they are signed and checked
//	keys.go jwks.go     the key ring: one file a key, shared by all edges of a room
//	verifier.go         what an origin imports: checks passes against the edges' JWKS
//	lottery/            the draw among early arrivals, which anyone can recompute
//	line/               join, return, knock, tick, leave: one script per decision
//	pace/               how many may enter each second, and why; its simulator
package admission
