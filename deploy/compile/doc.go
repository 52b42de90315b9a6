// Package compile builds programs of the repository and says how far it is: the first build compiles Caddy, and minutes of
// silence look like a machine that hangs. It needs the standard library alone, so that whoever shows the progress is there
// within seconds.
package compile
