// Package e2e holds the tests that need whole programs: a person in a browser, fifty buyers for one seat, a booking core
// killed between the provider's yes and the confirmation, and a waiting room before an application that is not ours.
//
// The programs are built and started by the tests, on free ports, with a private PostgreSQL and Redis; what is missing
// on the machine fails with the cure. Screenshots of what a person sees are kept in .run/shots.
package e2e
