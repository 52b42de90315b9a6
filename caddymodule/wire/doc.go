// Package wire is how the edge reads requests where a byte decides: which cookies and headers are its own, which paths
// can be read in one way only, and where a redirect to the same URL leads. It knows nothing of Caddy, so that it can be
// fuzzed by itself.
package wire
