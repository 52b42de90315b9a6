// Package fleet runs several edges of one room as processes of their own, with what stands around them: Redis, a recording
// origin, and visitors. The benchmark of the edge and the tests of its faults are its users.
//
//	visitors ──► edge, edge, ... ──► recorder ──► an origin that says hello
//	                  │
//	             (tcp.Proxy) ──► Redis
//
// Everything listens on loopback and lies below one directory.
package fleet
