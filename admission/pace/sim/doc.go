// Package sim runs the controller of package pace against a shop that exists only in virtual time.
//
// The plant is a discrete-event simulation of people, a database, a payment pool and stock; it is hostile in the ways
// that real ones are: answers get slower with backlog, clients time out and try again, so an overload keeps itself alive.
// The same [pace.Next] as in production runs here, on the same inputs, beside simpler controllers and beside two oracles.
// Every person draws from a stream of its own, so all controllers of one seed meet the same people.
//
//	world.go scenario.go   what the plant is made of, and what goes wrong in it
//	plant.go person.go database.go payment.go stock.go   the plant
//	measure.go telemetry.go   what the gate sees, what the origin tells, what is judged
//	ours.go oracle.go baseline*.go   who decides
//	habits.go plan.go        an event that was recorded or is wondered about, instead of a scenario
//	score.go table.go   figures and how they are printed
package sim
