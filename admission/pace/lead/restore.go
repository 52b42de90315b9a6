package lead

import (
	"encoding/json"
	"time"

	"github.com/ropeline/ropeline/admission/line"
	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/pace/gate"
)

// maxSaved bounds what a leader leaves.
const maxSaved = 1 << 20

// left is what a leader leaves to its successor.
type left struct {
	At        time.Time       `json:"at"` // the controller's time
	Epoch     int64           `json:"epoch"`
	Resources []string        `json:"resources"`
	State     json.RawMessage `json:"state"`
	Sum       gate.Sum        `json:"sum"`
	History   history         `json:"history"`
}

// begin takes the lead. The newest of what is known counts: what this edge decided itself, or what the leader after it left.
func (p *Pacer) begin(c *Config, sec *line.Second, local time.Time) {
	p.since, p.fence = sec.Now, sec.Fence
	own := p.began && c.sameResources(p.names())
	newer := p.gen != sec.Gen || sec.SavedRT > p.lastRT
	var l left
	switch {
	case sec.Saved != nil && (!own || newer) && p.read(sec.Saved, &l) && c.sameResources(l.Resources):
		// The seconds that nobody led are the room's: a leap of anybody's clock is none of them.
		now := l.At.Add(max(0, time.Duration(sec.RT-sec.SavedRT)*time.Microsecond))
		s, err := pace.Restore(c.Pace, l.State, now)
		if err != nil {
			p.log.Warn("another leader's knowledge of the origin is not used", "room", c.Room, "error", err)
		}
		if sec.Paced && sec.Gap > 0 { // what the leader decided after it left this
			s.Slew.Rate = perSecond(sec.Gap)
		}
		p.clock.start(now, local)
		p.state, p.sum, p.past, p.epoch, p.last = s, l.Sum, l.History, l.Epoch, l.At
	case own:
		// The clock has gone on.
	default:
		if !p.clock.running() {
			p.clock.start(sec.Now, local)
		}
		p.state, p.sum, p.past, p.epoch, p.last = pace.New(c.Pace), gate.Sum{}, history{}, 0, time.Time{}
	}
	p.began = true
	p.saved, p.told = time.Time{}, time.Time{}
}

func (p *Pacer) read(saved []byte, l *left) bool {
	if len(saved) > maxSaved || json.Unmarshal(saved, l) != nil {
		p.log.Warn("what another leader left cannot be read; this one starts anew")
		return false
	}
	return true
}

func (p *Pacer) save(c *Config, now time.Time) []byte {
	state, err := p.state.Save()
	var b []byte
	if err == nil {
		b, err = json.Marshal(left{At: now, Epoch: p.epoch, Resources: c.names(), State: state, Sum: p.sum, History: p.past})
	}
	if err != nil || len(b) > maxSaved {
		p.log.Error("what is known of the origin is not kept for a successor", "room", c.Room, "bytes", len(b), "error", err)
		return nil
	}
	return b
}

// names are the resources of the state in hand.
func (p *Pacer) names() (out []string) {
	for _, r := range p.state.Config().Resources {
		out = append(out, r.Name)
	}
	return out
}

// adopt goes on with another configuration.
func (p *Pacer) adopt(c *Config) {
	if !c.sameResources(p.names()) {
		p.state, p.past = pace.New(c.Pace), history{}
		return
	}
	now := p.clock.now(p.now())
	b, err := p.state.Save()
	if err == nil {
		var s pace.State
		if s, err = pace.Restore(c.Pace, b, now); err == nil {
			p.state = s
			return
		}
	}
	p.log.Error("what was learned of the origin does not outlive the change of configuration", "room", c.Room, "error", err)
	p.state = pace.New(c.Pace)
}
