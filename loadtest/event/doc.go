// Package event tells people what an event was, or would have been: as a table, as an account of what was lost and why,
// and as one page with charts that needs nothing but a browser.
//
// It reads the edges' decision log and plays events with the simulator of package admission/pace/sim: tools for those who
// run an event, not evidence against which the programs are judged (that is package check, which shares no code with them).
package event
