// Package debian knows which Debian package gives which program, and installs what is missing.
//
// It is the only place that does: `make demo`, `make test`, `make smoke` and .ci/run all come through here, so a fresh
// machine needs no step that is written only in a README. On Debian as root it installs with visible progress; anywhere
// else it says in one line what to install. It uses the standard library alone, since it runs before anything is built.
package debian
