package replay

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ropeline/ropeline/admission/pace"
)

// settings are what another configuration may differ in, by name.
var settings = map[string]func(*pace.Config) *float64{
	"latency":      func(c *pace.Config) *float64 { return &c.Latency },
	"errors":       func(c *pace.Config) *float64 { return &c.Errors },
	"lock_wait":    func(c *pace.Config) *float64 { return &c.LockWait },
	"slew_up":      func(c *pace.Config) *float64 { return &c.SlewUp },
	"safe_rate":    func(c *pace.Config) *float64 { return &c.SafeRate },
	"floor":        func(c *pace.Config) *float64 { return &c.Floor },
	"ceiling":      func(c *pace.Config) *float64 { return &c.Ceiling },
	"seats_a_hold": func(c *pace.Config) *float64 { return &c.SeatsAHold },
}

// ofResource are those of one resource, written <resource>.<name>.
var ofResource = map[string]func(*pace.Resource) *float64{
	"headroom": func(r *pace.Resource) *float64 { return &r.Headroom },
	"work":     func(r *pace.Resource) *float64 { return &r.Work },
	"work_age": func(r *pace.Resource) *float64 { return &r.WorkAge },
}

// Set is the configuration with some settings changed: "safe_rate=20", "db.headroom=0.8", "db.advisory=true".
func Set(cfg *pace.Config, changes ...string) (*pace.Config, error) {
	c := *cfg
	c.Resources = slices.Clone(cfg.Resources)
	for _, text := range changes {
		if err := set(&c, text); err != nil {
			return nil, err
		}
	}
	if math.IsInf(c.Ceiling, 1) {
		c.Ceiling = 0 // as NewConfig takes "none"
	}
	return pace.NewConfig(c)
}

func set(c *pace.Config, text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return fmt.Errorf("setting %q: write name=value, for example safe_rate=20 or db.headroom=0.8", text)
	}
	resource, part, of := strings.Cut(name, ".")
	if of {
		i := slices.IndexFunc(c.Resources, func(r pace.Resource) bool { return r.Name == resource })
		if i < 0 {
			return fmt.Errorf("setting %q: no resource %s; there are %s", text, resource, strings.Join(names(c), ", "))
		}
		r := &c.Resources[i]
		if part == "advisory" {
			b, err := strconv.ParseBool(value)
			r.Advisory = b
			return wrong(text, "true or false", err)
		}
		at := ofResource[part]
		if at == nil {
			return fmt.Errorf("setting %q: a resource has advisory, %s", text, strings.Join(slices.Sorted(maps.Keys(ofResource)), ", "))
		}
		return number(at(r), text, value)
	}
	at := settings[name]
	if at == nil {
		return fmt.Errorf("setting %q: there are %s, and those of a resource, like db.headroom", text, strings.Join(slices.Sorted(maps.Keys(settings)), ", "))
	}
	return number(at(c), text, value)
}

func number(at *float64, text, value string) error {
	v, err := strconv.ParseFloat(value, 64)
	*at = v
	return wrong(text, "a number", err)
}

func wrong(text, want string, err error) error {
	if err != nil {
		return fmt.Errorf("setting %q: write %s", text, want)
	}
	return nil
}

func names(c *pace.Config) (list []string) {
	for _, r := range c.Resources {
		list = append(list, r.Name)
	}
	return list
}
