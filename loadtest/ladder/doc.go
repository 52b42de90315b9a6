// Package ladder steps load up against a real origin until its answers get bad, and turns what it found into values that
// a waiting room can start with.
//
// Load is open: people come whether or not the origin keeps up, as they do behind a waiting room. A step begins with
// people of all ages, so that its load is that of an hour at this rate and not of its first seconds.
//
//	visit.go    what one person does
//	climb.go    step by step, then between the last good step and the first bad one
//	drive.go    one step: people, requests, how late the driver itself was
//	measure.go  what came back
//	values.go   what to write into the configuration
package ladder
