// Package pace decides, once a second, how many people from the line may enter.
//
// An admitted person loads the origin over several minutes: browses, holds, fills a form, pays. Some never come, some
// leave a hold behind that returns minutes later. A limiter that expects the effect of a decision within one round trip
// (Vegas, Gradient2, BBR) therefore always corrects too late. This one predicts what is already on its way, limits each
// resource by name, and releases evenly.
//
// [Next] is a pure function: no clock, no I/O, no allocation. The edge that leads calls it with what the gate saw
// ([Gate]), with what the origin tells ([Reading], optional) and with what the operator wants ([Operator]); the same
// function runs in the simulator (package sim).
//
//	kernel.go     work that a person of a given session age causes
//	capacity.go   what a resource can do, by the utilisation law
//	show.go       how many of the released come, and how many are still to come
//	pipeline.go   the work that is coming anyway
//	limit.go      people a second that each resource bears; the smallest is the reason
//	trim.go brake.go blind.go stale.go slew.go   what corrects, stops, replaces, distrusts and eases that number
//	inventory.go  stock: last seats, all held, sold out
//	mode.go       what the operator says, with who, why and until when
//	decision.go reason.go   the record, and its sentence
package pace
