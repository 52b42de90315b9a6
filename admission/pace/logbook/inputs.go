package logbook

import (
	"fmt"
	"math"
	"time"

	"github.com/ropeline/ropeline/admission/pace"
)

// kinds are the names of the kinds of request, as in the origin's telemetry.
var kinds = [pace.MaxKinds]string{pace.Page: "page", pace.Hold: "hold", pace.Pay: "pay", pace.Confirm: "confirm", pace.Other: "other", 5: "kind5"}

// counts are the buckets that are not empty: [bucket, number].
type counts [][2]uint32

func (c counts) into(list []uint32) error {
	for _, pair := range c {
		if int(pair[0]) >= len(list) {
			return unknown("bucket", fmt.Sprint(pair[0]))
		}
		list[pair[0]] = pair[1]
	}
	return nil
}

func newCounts(list []uint32) (c counts) {
	for i, n := range list {
		if n > 0 {
			c = append(c, [2]uint32{uint32(i), n})
		}
	}
	return c
}

// inputsDoc is pace.Inputs.
type inputsDoc struct {
	Gate     gateDoc               `json:"gate"`
	Readings map[string]readingDoc `json:"readings,omitempty"` // by resource
	LockWait *levelDoc             `json:"lock_wait,omitempty"`
	Stock    *stockDoc             `json:"stock,omitempty"`
	Override *overrideDoc          `json:"override,omitempty"`
	Cap      int64                 `json:"cap,omitempty"`
	Floor    float64               `json:"floor,omitempty"`
	Ceiling  float64               `json:"ceiling,omitempty"`
}

type gateDoc struct {
	Seconds      float64           `json:"seconds"`
	X            int64             `json:"x"`
	Waiting      int64             `json:"waiting"`
	Active       int64             `json:"active"`
	Claims       counts            `json:"claims,omitempty"` // by seconds since the release
	Work         map[string]counts `json:"work,omitempty"`   // by kind, by age in buckets of five seconds
	Flight       float64           `json:"flight"`
	P99          float64           `json:"p99"`
	Failed       float64           `json:"failed"`
	RecentP99    float64           `json:"recent_p99"`
	RecentFailed float64           `json:"recent_failed"`
	Asked        int64             `json:"asked"`
	Away         bool              `json:"away,omitempty"`
}

type readingDoc struct {
	At       time.Time          `json:"at"`
	Seconds  float64            `json:"seconds"`
	Busy     float64            `json:"busy"`
	Capacity float64            `json:"capacity"`
	Done     map[string]float64 `json:"done,omitempty"`
	Waiting  float64            `json:"waiting"`
}

type levelDoc struct {
	At    time.Time `json:"at"`
	Value float64   `json:"value"`
}

type stockDoc struct {
	At        time.Time `json:"at"`
	Available float64   `json:"available"`
	Held      float64   `json:"held"`
	Sold      float64   `json:"sold"`
	Total     float64   `json:"total"`
	Expiring  []float64 `json:"expiring,omitempty"` // without the zeros at its end
}

func newInputs(cfg *pace.Config, in *pace.Inputs) (d inputsDoc) {
	g := &in.Gate
	d.Gate = gateDoc{Seconds: g.Seconds, X: g.X, Waiting: g.Waiting, Active: g.Active, Claims: newCounts(g.Claims[:]), Flight: g.Flight,
		P99: g.P99, Failed: g.Failed, RecentP99: g.RecentP99, RecentFailed: g.RecentFailed, Asked: g.Asked, Away: g.Away}
	for k := range g.Work {
		if c := newCounts(g.Work[k][:]); c != nil {
			if d.Gate.Work == nil {
				d.Gate.Work = map[string]counts{}
			}
			d.Gate.Work[kinds[k]] = c
		}
	}
	for i := range cfg.Resources {
		r := &in.Resources[i]
		if r.At.IsZero() {
			continue
		}
		doc := readingDoc{At: r.At, Seconds: r.Seconds, Busy: r.Busy, Capacity: r.Capacity, Waiting: r.Waiting, Done: map[string]float64{}}
		for k, n := range r.Done {
			if n != 0 {
				doc.Done[kinds[k]] = n
			}
		}
		if d.Readings == nil {
			d.Readings = map[string]readingDoc{}
		}
		d.Readings[cfg.Resources[i].Name] = doc
	}
	if l := in.LockWait; !l.At.IsZero() {
		d.LockWait = &levelDoc{l.At, l.Value}
	}
	if s := &in.Stock; !s.At.IsZero() {
		last := len(s.Expiring)
		for last > 0 && s.Expiring[last-1] == 0 {
			last--
		}
		d.Stock = &stockDoc{s.At, s.Available, s.Held, s.Sold, s.Total, s.Expiring[:last]}
	}
	o := &in.Operator
	d.Override, d.Cap, d.Floor, d.Ceiling = newOverride(&o.Override), o.Cap, o.Floor, o.Ceiling
	return d
}

// inputs is the way back.
func (d *inputsDoc) inputs(cfg *pace.Config, epoch int64) (in pace.Inputs, err error) {
	g := &d.Gate
	in.Epoch = epoch
	in.Gate = pace.Gate{Seconds: g.Seconds, X: g.X, Waiting: g.Waiting, Active: g.Active, Flight: g.Flight,
		P99: g.P99, Failed: g.Failed, RecentP99: g.RecentP99, RecentFailed: g.RecentFailed, Asked: g.Asked, Away: g.Away}
	if err := g.Claims.into(in.Gate.Claims[:]); err != nil {
		return in, err
	}
	for name, c := range g.Work {
		k, err := kind(name)
		if err != nil {
			return in, err
		}
		if err := c.into(in.Gate.Work[k][:]); err != nil {
			return in, err
		}
	}
	for i := range cfg.Resources {
		r, ok := d.Readings[cfg.Resources[i].Name]
		if !ok {
			continue
		}
		in.Resources[i] = pace.Reading{At: r.At, Seconds: r.Seconds, Busy: r.Busy, Capacity: r.Capacity, Waiting: r.Waiting}
		for name, n := range r.Done {
			k, err := kind(name)
			if err != nil {
				return in, err
			}
			in.Resources[i].Done[k] = n
		}
	}
	if l := d.LockWait; l != nil {
		in.LockWait = pace.Level{At: l.At, Value: l.Value}
	}
	if s := d.Stock; s != nil {
		in.Stock = pace.Stock{At: s.At, Available: s.Available, Held: s.Held, Sold: s.Sold, Total: s.Total}
		copy(in.Stock.Expiring[:], s.Expiring)
	}
	in.Operator = pace.Operator{Cap: d.Cap, Floor: d.Floor, Ceiling: d.Ceiling}
	in.Operator.Override, err = d.Override.override()
	return in, err
}

func kind(name string) (int, error) {
	for k, n := range kinds {
		if n == name {
			return k, nil
		}
	}
	return 0, unknown("kind of request", name)
}

func unknown(what, name string) error { return fmt.Errorf("%s %q is not known", what, name) }

// configDoc is pace.Config: without a ceiling there is none.
type configDoc struct {
	pace.Config
	Ceiling *float64
}

func newConfig(c *pace.Config) *configDoc {
	doc := configDoc{*c, finite(c.Ceiling)}
	doc.Config.Ceiling = 0
	return &doc
}

func (c *configDoc) config() (*pace.Config, error) {
	cfg := c.Config
	if cfg.Ceiling = unbound(c.Ceiling); math.IsInf(cfg.Ceiling, 1) {
		cfg.Ceiling = 0
		made, err := pace.NewConfig(cfg)
		if err == nil {
			made.Ceiling = math.Inf(1)
		}
		return made, err
	}
	return pace.NewConfig(cfg)
}
