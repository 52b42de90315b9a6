// Package check decides from evidence whether a sale kept its promises.
//
// Each invariant has a file of its own: what must hold, where it comes from, and
// a function that returns every exception it finds with the rows and lines that
// prove it. Nothing here believes a counter of the programs: seats and money are
// recomputed from rows and from the provider's own list, the line from the grant
// log, the gate from the recorder with the pass keys, and limits from all of
// these together with what buyers were told.
//
// An invariant without evidence is an error and never a pass: an empty grant log
// proves no order.
package check
