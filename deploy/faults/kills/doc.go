// Package kills ends a running bookingd at every moment at which its death could leave something half done, and lets the
// next process show that nothing is: the same request with the same Idempotency-Key has one effect and one answer, the
// provider charged once, and the books agree (FB1, FB2, FB11; B1, B3, I1, L1).
//
// The moments are chosen from outside, without a fail point in the program: a tap between bookingd and PostgreSQL counts the
// statements of its writing transactions and kills the process before the n-th of them is forwarded, for n = 1, 2, ... until
// an operation ends without reaching n. So a statement that is added tomorrow is covered tomorrow. A BEGIN is one of them: it is
// kept back until what follows tells that it is an operation's, and then the server has heard of no transaction yet. A COMMIT
// counts twice: before the server hears of it, and when the server has answered and the process has not heard the answer.
package kills
