//go:build !unix

package line

import (
	"os"
	"path/filepath"
)

// lockDir has no lock to take on this system; the operator keeps two processes from sharing a directory.
func lockDir(dir string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
}
