// Package loadtest is the crowd that Ropeline is tried with, and the judge of
// what happened to it.
//
//	history/   what each virtual buyer asked and was told, as JSON lines
//	buyer/     the virtual buyers: line, map, hold, order, card, payment, tickets
//	record/    a reverse proxy between edge and origin that notes who got through
//	check/     the invariants, one file each, recomputed from evidence
//	ladder/    how many people an origin bears
//	event/     what an event was, or would have been, from the edge's decision log
//	cmd/loadtest/   sale | record | check | smoke | ladder | report | replay | what-if
//
// Both programs are black boxes to the crowd and its judge. Nothing of admission,
// caddymodule or core is imported and no metric of theirs is read: what judges
// the programs shares no code with them, since a shared mistake would agree with
// itself. (event/ judges nothing: it plays the controller itself.) A verdict
// comes from the database's rows, the provider's list of payments, the edges'
// grant log, the recorder's file and the buyers' own history.
package loadtest
