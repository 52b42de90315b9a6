package caddymodule

import (
	"sync"
	"time"

	"github.com/ropeline/ropeline/admission/line"
)

const (
	paceWindow = 30 * time.Second
	paceLeast  = 8 * time.Second // before that, a pace says nothing
)

// speed measures how fast X really moves: less than the rate when the room is full.
type speed struct {
	mu      sync.Mutex
	gen     string
	samples []paceSample
}

type paceSample struct {
	at time.Time
	x  int64
}

// note keeps one sample a second of the last half minute.
func (p *speed) note(s line.Snapshot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if stateOf(s) != sawWaiting || s.Gen != p.gen {
		p.samples, p.gen = p.samples[:0], s.Gen
	}
	if stateOf(s) != sawWaiting {
		return
	}
	if n := len(p.samples); n > 0 && s.At.Sub(p.samples[n-1].at) < time.Second {
		return
	}
	p.samples = append(p.samples, paceSample{s.At, s.X})
	for len(p.samples) > 1 && s.At.Sub(p.samples[0].at) > paceWindow {
		p.samples = p.samples[1:]
	}
}

// perSecond is places a second; ok is false while too little has been seen.
func (p *speed) perSecond(s line.Snapshot) (v float64, ok bool) {
	p.note(s)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.samples) < 2 {
		return 0, false
	}
	first, last := p.samples[0], p.samples[len(p.samples)-1]
	d := last.at.Sub(first.at)
	if d < paceLeast {
		return 0, false
	}
	return float64(last.x-first.x) / d.Seconds(), true
}
