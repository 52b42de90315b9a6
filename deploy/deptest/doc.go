// Package deptest holds the import arrows of the repository: a rule says which packages another must never reach, and why.
//
// It reads the source files itself instead of asking `go list`: the test cache sees the files a test opens but not what
// a child process read, so a cached "ok" could hide a new import. Imports are followed through the whole module, so an
// arrow that is broken by way of a third package is found too, and the whole way is shown.
package deptest
