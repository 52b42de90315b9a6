//go:build linux

package stack

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// An orphan that its parent has forgotten is seen and named.
func TestLeftSeesAnOrphan(t *testing.T) {
	if err := Adopt(); err != nil {
		t.Fatal(err)
	}
	// A session of its own, as a daemon has: killing the group of the child does not reach it.
	c := start(t, shell("forgetful", `setsid sh -c 'echo started $$; exec sleep 1000' & wait`))
	says(t, c, "started")
	var pid int
	if _, err := fmt.Sscanf(c.Tail(), "started %d", &pid); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		syscall.Kill(pid, syscall.SIGKILL)
		syscall.Wait4(pid, nil, 0, nil) // it is our child now, and nobody else waits for it
	})
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Fatalf("%v: it is in Debian's package util-linux", err)
	}
	c.Kill()
	left, err := Left()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(left, func(s string) bool { return strings.HasPrefix(s, fmt.Sprintf("%d s", pid)) }) {
		t.Errorf("left = %v, want process %d", left, pid)
	}
}
