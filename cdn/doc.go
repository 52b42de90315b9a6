// Package cdn holds configurations of caches for in front of the edge, and the tests that hold them to README.md: real
// Varnish and nginx before both programs, and for the services that cannot run here, what their files rely on.
package cdn
