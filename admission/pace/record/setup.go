package record

import (
	"fmt"
	"math"
	"time"

	"github.com/ropeline/ropeline/admission/pace"
)

// setupEvery is how often the configuration is written again: the file in which it stood is dropped one day.
const setupEvery = time.Minute

// Setup is what the controller was run with. JSON has no infinity: without a ceiling there is none.
type Setup struct {
	pace.Config
	Ceiling *float64
}

// NewSetup is the setup of a configuration.
func NewSetup(c *pace.Config) *Setup {
	s := &Setup{Config: *c}
	s.Config.Ceiling = 0
	if !math.IsInf(c.Ceiling, 1) {
		s.Ceiling = &c.Ceiling
	}
	return s
}

// Pace is the way back.
func (s *Setup) Pace() (*pace.Config, error) {
	c := s.Config
	if c.Ceiling = 0; s.Ceiling != nil {
		c.Ceiling = *s.Ceiling
	}
	made, err := pace.NewConfig(c)
	if err != nil {
		return nil, err
	}
	if s.Ceiling == nil {
		made.Ceiling = math.Inf(1)
	}
	return made, nil
}

// Due says whether a record has to bring its setup: it is the first, a minute is over, or the configuration changed. The
// zero value remembers nothing.
type Due struct {
	at  time.Time
	was *pace.Config
}

// Setup is the configuration's if it is due, else nil.
func (d *Due) Setup(c *pace.Config, at time.Time) *Setup {
	if c == d.was && at.Sub(d.at) < setupEvery && !at.Before(d.at) {
		return nil
	}
	d.at, d.was = at, c
	return NewSetup(c)
}

// Counts are the buckets that are not empty: [bucket, number].
type Counts [][2]uint32

// NewCounts leaves out the zeros.
func NewCounts(list []uint32) (c Counts) {
	for i, n := range list {
		if n > 0 {
			c = append(c, [2]uint32{uint32(i), n})
		}
	}
	return c
}

// Into is the way back.
func (c Counts) Into(list []uint32) error {
	for _, pair := range c {
		if int(pair[0]) >= len(list) {
			return fmt.Errorf("bucket %d: there are %d", pair[0], len(list))
		}
		list[pair[0]] = pair[1]
	}
	return nil
}
