// Package payment holds the decisions about one payment attempt, as pure
// functions, and the interface every payment provider is spoken to through.
//
// An attempt is two things that only grow:
//
//   - Facts: what is known to have happened at the provider. Each is recorded
//     once, by whichever of answer, webhook, question or report brings it. A fact
//     brings those it implies: refunded means captured means authorized.
//   - Want: our one decision about the money, none -> keep -> give_back or
//     none -> give_back, never back. It is taken under the order's lock.
//
// The state shown to people is a function of the two (StateOf), and so is what
// is to be done next (NextAction). Loops therefore carry no memory: whoever finds an
// attempt, after whatever crash, reads facts and want and does what is missing.
//
//	                 answer, webhook or question brings facts
//	created --> sent --> authorized --(keep)--> captured --> partly_refunded --> refunded
//	   |          |          |                      |
//	   |          |          +--(give_back)--> voiding --> voided
//	   |          |                                 +--(give_back)--> refunding --> refunded
//	   |          +--> declined
//	   |          +--(time-out, crash)--> unknown --(asked)--> any of the above
//	   +--(never sent)--> abandoned           +--(not found 3 times)--> abandoned
//
// declined and abandoned end the waiting, not the attempt: money that turns up
// later is decided like any other first money (Decide).
package payment
