// Command seatmap measures what half a million lookers cost: the size and speed of maps, bookingd's answers against bare
// Caddy `respond` of the same bytes, what reaches the programs through a real Varnish, what reaches the database, how fresh
// a map is, and how the map feels in a browser.
//
//	make bench-seatmap
//	make bench-seatmap BENCH_FLAGS="-seconds 1 -runs 1 -only codec,serve"
//
// Ratios have both sides in one run, in turn, with the same client on the same cores. Behind Varnish the client asks as
// fast as it can; what is counted is what comes through. Freshness is from the answer to a hold until a reader behind
// Varnish who asks twenty times a second is shown it.
package main
