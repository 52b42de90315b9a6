package main

import (
	"os"
	"runtime/debug"
)

// gcPercent lets the heap grow to five times what is in use before it is swept. That is
// some tens of megabytes, and requests live for milliseconds: at the default of 100 a
// fifth of a busy processor's time goes into looking at what will be gone by itself.
const gcPercent = 400

// tuneMemory leaves the choice to whoever has made one.
func tuneMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}
