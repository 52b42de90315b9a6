package sim

import (
	"runtime"
	clockwork "time"

	"github.com/ropeline/ropeline/admission/pace"
)

// Speed measures one step of the controller in the middle of a calm run: microseconds and allocations.
func Speed() (micros, allocs float64) {
	const steps = 5000
	story := Scenarios()[0]
	story.Seconds = 600
	c := newOurs(&story).(*ours)
	probe := &speedProbe{ours: c}
	Run(&story, TuningSeeds[0], probe)
	now := clock(float64(story.Seconds + 1))
	state := c.state
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begin := clockwork.Now()
	for range steps {
		_, _ = pace.Next(state, &probe.in, now)
	}
	took := clockwork.Since(begin)
	runtime.ReadMemStats(&after)
	return float64(took.Microseconds()) / steps, float64(after.Mallocs-before.Mallocs) / steps
}

// speedProbe keeps the last inputs.
type speedProbe struct {
	*ours
	in pace.Inputs
}

func (s *speedProbe) Tick(p *plant, in *pace.Inputs) int64 {
	s.in = *in
	return s.ours.Tick(p, in)
}
