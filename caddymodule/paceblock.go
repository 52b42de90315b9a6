package caddymodule

import (
	"fmt"
	"strconv"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

// paceOptions are the lines of a pace block with one value. telemetry, kind and resource have more.
var paceOptions = option[PaceConfig]{
	"preset":           func(c *PaceConfig, v string) error { c.Preset = v; return nil },
	"p99":              func(c *PaceConfig, v string) error { return setDuration(&c.P99, v) },
	"errors":           func(c *PaceConfig, v string) error { c.Errors = v; return nil },
	"lock_wait":        func(c *PaceConfig, v string) error { return setDuration(&c.LockWait, v) },
	"slew":             func(c *PaceConfig, v string) error { c.Slew = v; return nil },
	"safe_rate":        func(c *PaceConfig, v string) error { c.SafeRate = v; return nil },
	"last_rate":        func(c *PaceConfig, v string) error { c.LastRate = v; return nil },
	"floor":            func(c *PaceConfig, v string) error { c.Floor = v; return nil },
	"ceiling":          func(c *PaceConfig, v string) error { c.Ceiling = v; return nil },
	"telemetry_secret": func(c *PaceConfig, v string) error { c.TelemetrySecret = v; return nil },
	"hold_for":         func(c *PaceConfig, v string) error { return setDuration(&c.HoldFor, v) },
	"seats":            func(c *PaceConfig, v string) error { c.Seats = v; return nil },
	"stock":            func(c *PaceConfig, v string) error { c.Stock = v; return nil },
	"decision_log":     func(c *PaceConfig, v string) error { c.DecisionLog = v; return nil },
}

// paceLists are the lines that may stand several times.
var paceLists = map[string]func(c *PaceConfig, d *caddyfile.Dispenser, args []string) error{
	"telemetry": func(c *PaceConfig, _ *caddyfile.Dispenser, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("telemetry needs an address, for example http://10.0.0.7:9090/telemetry")
		}
		c.Telemetry = append(c.Telemetry, args...)
		return nil
	},
	"kind": func(c *PaceConfig, _ *caddyfile.Dispenser, args []string) error {
		switch len(args) {
		case 2:
			c.Kinds = append(c.Kinds, PaceKind{args[0], args[1]})
		case 3:
			c.Kinds = append(c.Kinds, PaceKind{args[0], args[1] + " " + args[2]})
		default:
			return fmt.Errorf("kind: write kind <page|hold|pay|other> [method] <path>")
		}
		return nil
	},
	"resource": readResource,
}

// readBlock reads `pace <mode> { ... }`, of which the name is read already.
func (c *RoomConfig) readBlock(name string, d *caddyfile.Dispenser, where string) (inner places, err error) {
	if name != "pace" {
		return nil, nil
	}
	if c.Pace = new(PaceConfig); !d.NextArg() {
		return nil, d.Errf("%s: pace needs a mode: auto, shadow or off", where)
	}
	c.Pace.Mode = d.Val()
	if d.NextArg() {
		return nil, d.Errf("%s: pace: %q: put the options into a block { }", where, d.Val())
	}
	where += ": pace"
	inner = places{}
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		name, here := d.Val(), *d
		if list := paceLists[name]; list != nil {
			if err := list(c.Pace, d, d.RemainingArgs()); err != nil {
				return nil, d.Errf("%s: %v", where, err)
			}
			inner[name] = here
			continue
		}
		set, ok := paceOptions[name]
		_, again := inner[name]
		switch {
		case !ok:
			return nil, d.Errf("%s: unknown option %q%s", where, name, suggest(name, paceOptions))
		case again:
			return nil, d.Errf("%s: %s is given twice: keep one", where, name)
		}
		inner[name] = here
		args := d.RemainingArgs()
		if len(args) != 1 {
			return nil, d.Errf("%s: %s needs one value", where, name)
		}
		if err := set(c.Pace, args[0]); err != nil {
			return nil, d.Errf("%s: %s: %v", where, name, err)
		}
	}
	return inner, nil
}

// readResource reads
//
//	resource db {
//		cost page 1 hold 4
//		work 10
//		work_age 90s
//		headroom 85%
//		advisory
//	}
func readResource(c *PaceConfig, d *caddyfile.Dispenser, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("resource: write resource <name> { ... }")
	}
	r := PaceResource{Name: args[0]}
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		name, args := d.Val(), d.RemainingArgs()
		if err := r.set(name, args); err != nil {
			return fmt.Errorf("resource %s: %w", r.Name, err)
		}
	}
	c.Resources = append(c.Resources, r)
	return nil
}

func (r *PaceResource) set(name string, args []string) (err error) {
	one := func() string {
		if len(args) != 1 {
			err = fmt.Errorf("%s needs one value", name)
			return ""
		}
		return args[0]
	}
	switch name {
	case "cost":
		if len(args)%2 != 0 || len(args) == 0 {
			return fmt.Errorf("cost: write pairs of kind and number, for example cost page 1 hold 4")
		}
		r.Cost = map[string]float64{}
		for i := 0; i < len(args); i += 2 {
			v, err := strconv.ParseFloat(args[i+1], 64)
			if err != nil {
				return fmt.Errorf("cost %s %q: write a number of 0 or more", args[i], args[i+1])
			}
			r.Cost[args[i]] = v
		}
	case "work":
		v := one()
		if err == nil {
			r.Work, err = positiveOf("work", v)
		}
	case "work_age":
		v := one()
		if err == nil {
			if err = setDuration(&r.WorkAge, v); err != nil {
				err = fmt.Errorf("work_age: %w", err)
			}
		}
	case "headroom":
		r.Headroom = one()
	case "advisory":
		r.Advisory = true
	default:
		err = fmt.Errorf("unknown option %q: use cost, work, work_age, headroom, advisory", name)
	}
	return err
}
