// Package turnstile is a short line inside: whoever has come through the waiting room cannot be sent back to it, so when
// the database or the payment provider suddenly does less, requests that take places or money wait here, in the order of
// their coming, instead of being refused or of piling up where they do harm.
//
// Limiter says how many may be inside at once. Line keeps the others, at most so many and for at most half a minute.
// Neither has a loop: they work when somebody comes, goes, or waits.
package turnstile
