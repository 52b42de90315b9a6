package logbook

import (
	"math"
	"time"

	"github.com/ropeline/ropeline/admission/pace"
)

// Entry is one line: a configuration or a second.
type Entry struct {
	Room   string     `json:"room,omitempty"`
	At     time.Time  `json:"at"`
	Config *configDoc `json:"config,omitempty"`
	*Second
}

// Second is what was decided and what it was made from.
type Second struct {
	Epoch     int64              `json:"epoch"`
	Mode      string             `json:"mode"`
	Applied   bool               `json:"applied"`
	Rate      float64            `json:"rate"`
	Release   float64            `json:"release"`
	X         int64              `json:"x"`
	Reason    string             `json:"reason"`
	Holds     string             `json:"holds"`
	Limits    map[string]float64 `json:"limits"`
	Resources []boundDoc         `json:"resources"`
	Model     *float64           `json:"model,omitempty"`
	Show      float64            `json:"show"`
	ShowSigma float64            `json:"show_sigma"`
	Pending   float64            `json:"pending"`
	Latency   float64            `json:"latency"`
	Errors    float64            `json:"errors"`
	Locks     float64            `json:"locks"`
	Stock     uint8              `json:"stock"`
	Seats     float64            `json:"seats"`
	Need      float64            `json:"need"`
	Back      float64            `json:"back"`
	Override  *overrideDoc       `json:"override,omitempty"`
	Inputs    inputsDoc          `json:"inputs"`
}

// boundDoc is one resource as it was judged. Rate and work are left out where they do not bind.
type boundDoc struct {
	Rate    *float64 `json:"rate,omitempty"`
	Work    *float64 `json:"work,omitempty"`
	Coming  float64  `json:"coming"`
	Person  float64  `json:"person"`
	Within  int      `json:"within"`
	Used    float64  `json:"used"`
	Cost    float64  `json:"cost"`
	Servers float64  `json:"servers"`
	Phi     float64  `json:"phi"`
	Signal  uint8    `json:"signal"`
	Blind   bool     `json:"blind,omitempty"`
	Doubted bool     `json:"doubted,omitempty"`
}

type overrideDoc struct {
	Mode  string    `json:"mode"`
	Rate  float64   `json:"rate,omitempty"`
	Who   string    `json:"who"`
	Why   string    `json:"why"`
	Until time.Time `json:"until"`
}

// finite is nil for what does not bind: JSON has no infinity.
func finite(v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}

func unbound(v *float64) float64 {
	if v == nil {
		return math.Inf(1)
	}
	return *v
}

func newSecond(cfg *pace.Config, in *pace.Inputs, d *pace.Decision) *Second {
	s := &Second{
		Epoch: d.Epoch, Mode: d.Mode.String(), Applied: d.Applied, Rate: d.Rate, Release: d.Release, X: d.X,
		Reason: cfg.Name(d.Reason), Holds: cfg.Name(d.Holds), Limits: map[string]float64{}, Model: finite(d.Model),
		Show: d.Show, ShowSigma: d.ShowSigma, Pending: d.Pending, Latency: d.Latency, Errors: d.Errors, Locks: d.Locks,
		Stock: uint8(d.Stock), Seats: d.Seats, Need: d.Need, Back: d.Back, Override: newOverride(&d.Override), Inputs: newInputs(cfg, in),
	}
	for l := range pace.Limits {
		if v := finite(d.Limits[l]); v != nil && (int(l) < len(cfg.Resources) || l >= pace.MaxResources) {
			s.Limits[cfg.Name(l)] = *v
		}
	}
	for i := range cfg.Resources {
		b := &d.Resources[i]
		s.Resources = append(s.Resources, boundDoc{finite(b.Rate), finite(b.Work), b.Coming, b.Person, b.Within, b.Used, b.Cost, b.Servers, b.Phi, uint8(b.Signal), b.Blind, b.Doubted})
	}
	return s
}

// decision is the way back.
func (s *Second) decision(cfg *pace.Config, at time.Time) (d pace.Decision, err error) {
	d = pace.Decision{
		At: at, Epoch: s.Epoch, Applied: s.Applied, Rate: s.Rate, Release: s.Release, X: s.X, Model: unbound(s.Model),
		Show: s.Show, ShowSigma: s.ShowSigma, Pending: s.Pending, Inside: s.Inputs.Gate.Active, Latency: s.Latency, Errors: s.Errors, Locks: s.Locks,
		Stock: pace.StockState(s.Stock), Seats: s.Seats, Need: s.Need, Back: s.Back,
	}
	if d.Mode, err = pace.ParseMode(s.Mode); err != nil {
		return d, err
	}
	if d.Override, err = s.Override.override(); err != nil {
		return d, err
	}
	names := map[string]pace.Limit{}
	for l := range pace.Limits {
		names[cfg.Name(l)] = l
		d.Limits[l] = math.Inf(1)
	}
	for name, v := range s.Limits {
		l, ok := names[name]
		if !ok {
			return d, unknown("limit", name)
		}
		d.Limits[l] = v
	}
	var ok bool
	if d.Reason, ok = names[s.Reason]; !ok {
		return d, unknown("reason", s.Reason)
	}
	if d.Holds, ok = names[s.Holds]; !ok {
		return d, unknown("holds", s.Holds)
	}
	if len(s.Resources) > len(cfg.Resources) || s.Stock > uint8(pace.SoldOut) {
		return d, unknown("resource or stock", "beyond the configuration")
	}
	for i, b := range s.Resources {
		if b.Signal > uint8(pace.Stale) {
			return d, unknown("signal", string('0'+rune(b.Signal)))
		}
		d.Resources[i] = pace.Bound{Rate: unbound(b.Rate), Work: unbound(b.Work), Coming: b.Coming, Person: b.Person, Within: b.Within,
			Used: b.Used, Cost: b.Cost, Servers: b.Servers, Phi: b.Phi, Signal: pace.Health(b.Signal), Blind: b.Blind, Doubted: b.Doubted}
	}
	return d, nil
}

func newOverride(o *pace.Override) *overrideDoc {
	if o.Mode == pace.Auto {
		return nil
	}
	return &overrideDoc{o.Mode.String(), o.Rate, o.Who, o.Why, o.Until}
}

func (o *overrideDoc) override() (pace.Override, error) {
	if o == nil {
		return pace.Override{}, nil
	}
	mode, err := pace.ParseMode(o.Mode)
	return pace.Override{Mode: mode, Rate: o.Rate, Who: o.Who, Why: o.Why, Until: o.Until}, err
}
