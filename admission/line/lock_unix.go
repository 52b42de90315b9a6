//go:build unix

package line

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lockDir makes sure that one process alone writes the log in dir: two would each read half of the truth. The lock
// goes with the process, however it ends.
func lockDir(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s is in use by another process: stop it, or give this edge a directory of its own in the option data", dir)
	}
	return f, nil
}
