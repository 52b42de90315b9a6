package fleet

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/ropeline/ropeline/deploy/debian"
)

// Clock is a wall clock that can be set for a process that asks the C library for the time, as Redis does. Go reads the
// kernel's page instead, so the edges' own cannot: only the difference between both matters to the room.
type Clock struct {
	file string

	mu    sync.Mutex
	steps []step
}

type step struct {
	since  time.Time
	offset time.Duration
}

// NewClock keeps its state in dir; it starts with an offset.
func NewClock(dir string, offset time.Duration) (*Clock, error) {
	c := &Clock{file: filepath.Join(dir, "clock")}
	return c, c.Set(offset)
}

// clockHolds is how long a process may go by the offset it has read.
const clockHolds = time.Second

// Set moves the clock. A running process follows within clockHolds.
func (c *Clock) Set(offset time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := c.file + ".next"
	if err := os.WriteFile(next, fmt.Appendf(nil, "%+.3f\n", offset.Seconds()), 0o644); err != nil {
		return err
	}
	c.steps = append(c.steps, step{time.Now(), offset})
	return os.Rename(next, c.file)
}

// At is what the clock shows at a moment of this machine's. Nobody should ask about the second after Set.
func (c *Clock) At(t time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	offset := c.steps[0].offset
	for _, s := range c.steps {
		if !s.since.After(t) {
			offset = s.offset
		}
	}
	return t.Add(offset)
}

// Env makes a process live by the clock.
func (c *Clock) Env() ([]string, error) {
	found, _ := filepath.Glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
	if len(found) == 0 {
		parts, err := debian.ByName("faketime")
		if err != nil {
			return nil, err
		}
		return nil, errors.New(debian.Advice(parts))
	}
	return []string{
		// The C library's own malloc before jemalloc, which asks for the time while it starts and is asked for memory by the answer.
		"LD_PRELOAD=" + found[0] + " libc.so.6",
		"FAKETIME_TIMESTAMP_FILE=" + c.file, fmt.Sprintf("FAKETIME_CACHE_DURATION=%d", int(clockHolds.Seconds())),
		"FAKETIME_DONT_FAKE_MONOTONIC=1",
	}, nil
}
