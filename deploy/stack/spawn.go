//go:build unix

package stack

import (
	"os/exec"
	"runtime"
	"sync"
)

// spawner is one goroutine that starts every child from one operating-system thread which never ends: the kernel sends
// the parent-death signal when the *thread* that forked is gone, and Go ends idle threads of locked goroutines.
var spawner = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

func spawn(cmd *exec.Cmd) error {
	result := make(chan error)
	spawner() <- func() { result <- cmd.Start() }
	return <-result
}
