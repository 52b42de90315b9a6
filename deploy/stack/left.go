//go:build linux

package stack

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// prSetChildSubreaper is PR_SET_CHILD_SUBREAPER of <linux/prctl.h>, which package syscall does not name.
const prSetChildSubreaper = 36

// Adopt makes this process the parent of every orphan below it: what a child leaves behind when it ends becomes a child
// of ours, instead of init's, and Left sees it.
func Adopt() error {
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0); errno != 0 {
		return fmt.Errorf("become the parent of orphans: %w", errno)
	}
	return nil
}

// Left lists the processes that are still our children and run, as "pid command". After Down there must be none. One that
// has ended and that nobody waited for (state Z) is only a line in the kernel's table.
func Left() ([]string, error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has just ended
		}
		// pid (command) state ppid ...; the command may hold spaces and parentheses.
		open, end := strings.IndexByte(string(text), '('), strings.LastIndexByte(string(text), ')')
		if open < 0 || end < open {
			continue
		}
		fields := strings.Fields(string(text[end+1:]))
		if len(fields) > 1 && fields[0] != "Z" && fields[1] == strconv.Itoa(os.Getpid()) {
			out = append(out, strings.TrimSpace(string(text[:open]))+" "+string(text[open+1:end]))
		}
	}
	return out, nil
}
