// Package readpath serves seat maps to any number of people at the price of two
// small questions to the database per round, whatever their number.
//
// A Shelf keeps a Board for each event that somebody looks at: the state of every
// seat and the second in which its hold ends. A board is read once whole, then
// follows the event's committed changes, which carry their version; a version that
// is missing means reading it whole again. Once a round (half a second) the shelf
// asks its Source for the changes of all watched events together, and every board
// whose picture is different publishes an Edition: the map, its bytes and their
// compressed forms, made once for everybody.
//
//	outbox --News--> board --publish, at most once a Life--> edition --> answers
//	tables --Load--^  (first look, or a gap)
//
// Nobody waits for the database but the first who looks at an event. While the
// source cannot be asked, the last edition is served and says how old it is:
// what it shows is advice anyway, and a hold decides.
//
// An edition is a function of its version v.e: holds that run out change the map
// without a write, so a board shows a hold as ended from the first whole second
// of the database's clock that is not before its end, and e is the latest such
// second. Two processes at the same v.e show the same seats.
package readpath
