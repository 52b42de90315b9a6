package lead

import (
	"reflect"
	"slices"

	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/pace/record"
	"github.com/ropeline/ropeline/admission/pace/signal"
)

// Config is how one room is paced.
type Config struct {
	Room    string
	Shadow  bool // everything is computed and recorded, nothing applied
	Pace    *pace.Config
	Sources signal.Sources // no URLs: the origin tells nothing
	Log     *record.Log    // nil: none
}

func (c *Config) mode() pace.Mode {
	if c.Shadow {
		return pace.Shadow
	}
	return pace.Auto
}

// names of the resources: a state of others says nothing about these.
func (c *Config) names() (out []string) {
	for _, r := range c.Pace.Resources {
		out = append(out, r.Name)
	}
	return out
}

func (c *Config) sameResources(names []string) bool { return slices.Equal(c.names(), names) }

func (c *Config) same(other *Config) bool {
	if c == nil || other == nil {
		return c == other
	}
	return c.Shadow == other.Shadow && reflect.DeepEqual(c.Pace, other.Pace) && reflect.DeepEqual(c.Sources, other.Sources) && c.logPath() == other.logPath()
}

func (c *Config) logPath() string {
	if c == nil || c.Log == nil {
		return ""
	}
	return c.Log.Path()
}
