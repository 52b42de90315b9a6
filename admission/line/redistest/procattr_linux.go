package redistest

import "syscall"

// dieWithParent: a test binary that is killed, or runs into its own time-out, runs no clean-up.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
