// Package eventfile reads the JSON files that people write to bring venues and
// events into the booking core, and tells them what is wrong with one: the line,
// the field and the cure, all findings at once.
//
// It is strict on purpose. encoding/json drops unknown fields, keeps the last of
// two equal keys and names neither line nor field of most errors; in a file that
// decides what 60,000 people pay, a misspelt "overbok" must not mean 0. So the
// file is first read into a tree that remembers lines, then bound field by field.
//
// The package knows nothing of a database: Parse is a function of the bytes.
// The format is described in core/event/README.md.
package eventfile
