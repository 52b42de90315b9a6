//go:build unix && !linux

package stack

import "syscall"

// attributes has no parent-death signal to set: on these systems a runner killed with -9 leaves its children to the user.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
