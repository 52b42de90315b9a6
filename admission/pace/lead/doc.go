// Package lead is the second of the edge that leads: it gathers what all edges saw, what the origin tells and what the
// operator said, has [pace.Next] decide, and hands the decision to the line, the log and whoever asks. It is a
// [line.Pacer]; every edge has one, and only the leader's decides.
//
//	pacer.go    the second itself
//	clock.go    the controller's time, which neither stops nor leaps when the leader changes
//	restore.go  what a successor is left
//	inputs.go   gate, telemetry and operator as pace.Inputs
//	document.go signals.go stock.go   what is told of it
package lead
