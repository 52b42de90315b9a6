// Package gauge is what a process measures of itself while it serves: busy seconds that only grow, and how long
// things took in the last ten seconds. Both are read by many and written on every request, so they cost next to
// nothing and keep no samples.
package gauge
