package stack

import (
	"fmt"
	"os"
	"path/filepath"
)

// Repository finds the directory with go.mod, upwards from the working directory: `make` starts in it, a test below it.
func Repository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("%s is not inside the repository: start this from its first directory", dir)
		}
	}
}
