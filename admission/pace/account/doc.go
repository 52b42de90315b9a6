// Package account adds up, decision by decision, what an event lost and to which limit. It is the same sum for an event
// that was recorded and for one that is only played (package sim), so that the two can be laid side by side.
package account
