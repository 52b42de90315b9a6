// Package refund says what a buyer gets back, and what is needed before staff may give
// it: tiers by the time to the event, each with a fee, and a limit over which two
// people other than the one who asked have to agree.
//
// It decides amounts. What becomes of places, tickets and money is core/booking's.
package refund
