package caddymodule

import (
	"time"

	"github.com/ropeline/ropeline/admission/line"
)

// maxSkew is how far an edge's clock and the store's may differ before somebody is told. The edge itself stays right, since it
// dates and reads everything by the store's clock; an origin that verifies passes by a clock like this one is not.
const maxSkew = 2 * time.Second

// clockWatch remembers the skew that the log has told, so that each change is told once.
type clockWatch struct{ last, told time.Duration }

// changed says whether the skew is another than was told, twice in a row: one late answer of the store looks like skew.
func (c *clockWatch) changed(skew time.Duration) bool {
	settled := (skew - c.last).Abs() <= maxSkew
	c.last = skew
	if !settled || (skew-c.told).Abs() <= maxSkew {
		return false
	}
	c.told = skew
	return true
}

// watchClock is called by one goroutine.
func (r *room) watchClock(s line.Snapshot) {
	if s.Stale || !known(s) {
		return
	}
	switch skew := s.Skew(); {
	case !r.clock.changed(skew):
	case skew.Abs() > maxSkew:
		r.log.Warn("this machine's clock and the store's differ; the room goes by the store's: set both by NTP", "ahead", skew.Round(time.Millisecond).String())
	default:
		r.log.Info("this machine's clock and the store's agree again")
	}
}
