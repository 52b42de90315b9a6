package pace

const (
	trimDown    = 0.02 // per second
	trimUp      = 0.001
	trimLeast   = 0.3
	trimBad     = 3.0  // seconds of bad quality
	trimQuiet   = 30.0 // seconds since the last brake
	trimGood    = 0.7  // quality
	trimEpisode = 0.12 // the most that one episode of overload cuts
	trimOver    = 30.0 // good seconds that end an episode
	pinned      = 0.98 // of the servers busy: the pool itself says that it is full
	busyShare   = 0.4  // of the headroom
	usedShare   = 0.8
	explainedBy = 1.0 // predicted load over what is allowed
)

// trim corrects what the model does not know, slowly, and only when nothing else explains the bad quality: that is the
// anti-windup. An outage, a drain or an operator's pin must not be paid for afterwards.
type trim struct {
	Phi     float64
	Bad     float64 // seconds
	Good    float64
	Episode float64 // cut in this episode
}

// trimView is what a trim looks at.
type trimView struct {
	quality   float64
	used      float64 // busy share over headroom; negative: not known
	pinned    bool
	explained bool // the predicted load is above what the model allows: known already
	frozen    bool // outage, drain, pin, stale signal
	brake     float64
}

func (t *trim) tick(v trimView, dt float64) {
	if v.frozen {
		t.Bad, t.Good = 0, 0
		return
	}
	if v.quality > 1 {
		t.Bad, t.Good = t.Bad+dt, 0
	} else {
		t.Bad = 0
		if v.quality < trimGood {
			t.Good += dt
		}
	}
	if t.Good >= trimOver {
		t.Episode = 0
	}
	switch {
	case t.Bad >= trimBad && v.used > busyShare && !v.pinned && !v.explained && v.brake >= trimQuiet && t.Episode < trimEpisode:
		cut := min(trimDown*dt*t.Phi, trimEpisode-t.Episode)
		t.Episode += cut
		t.Phi = max(trimLeast, t.Phi-cut)
	case v.quality < trimGood && v.used > usedShare:
		t.Phi = min(1, t.Phi+trimUp*dt)
	}
}
