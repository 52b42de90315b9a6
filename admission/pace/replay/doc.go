// Package replay plays a recorded event again, in closed loop: the line, the people and the origin are rebuilt from the
// decisions' inputs, and the controller decides anew, so that another configuration can be tried on an evening that is over.
//
// To feed the recorded inputs to another configuration would prove nothing: had it let in more people, the origin would
// have told something else.
//
//	crowd.go    who joined, who came, and what people did
//	origin.go   what the origin could do, minute by minute
//	plan.go     both as a plan for package sim
package replay
