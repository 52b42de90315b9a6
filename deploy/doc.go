// Package deploy keeps what is needed to run Ropeline: the demo and smoke runners, the stack they start, the Caddyfile an
// operator would copy, and the tests that need the whole stack or the whole repository.
package deploy
