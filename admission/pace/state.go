package pace

import (
	"encoding/json"
	"fmt"
	"time"
)

// State is all that the controller remembers: plain values, so that a copy is a snapshot.
type State struct {
	cfg     *Config
	Last    time.Time // of the last step
	X       int64
	Said    int64   // the X last proposed
	Credit  float64 // releases earned and not yet made
	Crowd   crowd
	Show    show
	Kernels [MaxResources]kernel
	Caps    [MaxResources]capacity
	Doubt   doubt
	Began   time.Time
	Trims   [MaxResources]trim
	Brake   brake
	Blind   blind
	Slew    slew
	Stock   inventory
	Mode    Mode
	Crushed bool // the last second was over the objectives
	Calm    bool // it met them with room
}

// New is a controller that has seen nothing.
func New(cfg *Config) (s State) {
	s.cfg = cfg
	for i := range cfg.Resources {
		r := &cfg.Resources[i]
		s.Kernels[i] = newKernel(r.Work, r.WorkAge)
		s.Trims[i].Phi = 1
	}
	s.Stock.Seats = newKernel(1/priorMass, 90)
	s.Slew = slew{Rate: cfg.SafeRate, Cold: cfg.SafeRate}
	s.Brake = brake{Since: trimQuiet, Healthy: cfg.SafeRate}
	s.Show.estimate()
	return s
}

// Config is what this state is run with.
func (s *State) Config() *Config { return s.cfg }

const (
	lostCertainty = 4.0 // times the variance, after a successor took over
	longGone      = 300 // seconds after which a snapshot's crowd says nothing
)

// Save is the state for a successor.
func (s *State) Save() ([]byte, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("save the state of admission: %w", err)
	}
	return b, nil
}

// Restore takes over what another leader saved, with more doubt: the rate it had is kept and eased up from, and what it
// knew of capacities yields faster to what is measured now.
func Restore(cfg *Config, saved []byte, now time.Time) (State, error) {
	s := New(cfg)
	if err := json.Unmarshal(saved, &s); err != nil {
		return New(cfg), fmt.Errorf("the saved state of admission cannot be read, so it starts anew: %w", err)
	}
	s.cfg = cfg
	for i := range s.Caps {
		s.Caps[i].Var *= lostCertainty
		s.Caps[i].Sign = 0
	}
	if now.Sub(s.Last) > longGone*time.Second {
		s.Crowd.Claims, s.Show.Open = [seconds]float64{}, [Lags]float64{}
		s.Slew.Rate = min(s.Slew.Rate, cfg.SafeRate)
	}
	s.Credit, s.Said = 0, 0
	return s, nil
}
