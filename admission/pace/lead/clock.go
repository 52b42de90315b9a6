package lead

import "time"

// clock is the controller's time. It is the store's clock where it began and goes on with this machine's monotonic clock:
// the store's may be set, and a second that counted as an hour would be an hour's worth of learning. A successor goes on by
// the room's clock from where the leader before it left off.
type clock struct {
	base  time.Time
	local time.Time // with its monotonic reading
}

func (c *clock) running() bool { return !c.base.IsZero() }

func (c *clock) start(at, local time.Time) { c.base, c.local = at, local }

func (c *clock) now(local time.Time) time.Time { return c.base.Add(local.Sub(c.local)) }
