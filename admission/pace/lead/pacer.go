package lead

import (
	"context"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ropeline/ropeline/admission/line"
	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/pace/gate"
	"github.com/ropeline/ropeline/admission/pace/record"
	"github.com/ropeline/ropeline/admission/pace/report"
	"github.com/ropeline/ropeline/admission/pace/signal"
)

const (
	saveEvery  = 10 * time.Second
	saveChange = 0.1 // or at once when the rate has changed by so much: a successor must not go on with that of before
	tellEvery  = 2 * time.Second
	leadsFor   = 5 * time.Second // after its last decision an edge goes on reading telemetry for so long
	maxGap     = int64(24 * time.Hour / time.Microsecond)
)

// Pacer paces one room at one edge. All methods can be called from any goroutine.
type Pacer struct {
	Meter *gate.Meter
	log   *slog.Logger
	now   func() time.Time // this machine's clock; another in tests

	decided atomic.Int64 // when this edge decided last, unix ns of this machine; 0: never
	conf    atomic.Pointer[Config]

	mu     sync.Mutex
	stop   context.CancelFunc // of the poller
	poller *signal.Poller
	ear    signal.Ear

	state     pace.State
	began     bool // state is something
	clock     clock
	last      time.Time // the controller's time of the last decision
	lastRT    int64
	gen       string
	epoch     int64
	since     time.Time // this edge leads, by the store's clock
	fence     int64
	sum       gate.Sum
	saved     time.Time
	savedRate float64
	told      time.Time
	doc       *report.Document
	past      history
	due       record.Due
	faulty    map[string]bool // edges whose counts cannot be read: said once
}

// New paces nothing until it is configured.
func New(log *slog.Logger) *Pacer {
	return &Pacer{Meter: gate.NewMeter(), log: log, now: time.Now, faulty: map[string]bool{}}
}

// Configure changes how the room is paced from the next second on; nil: not at all. What was learned stays as long as the
// resources do.
func (p *Pacer) Configure(c *Config) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.conf.Load()
	if before.same(c) {
		return // a reload of the same file teaches nothing and forgets nothing
	}
	p.conf.Store(c)
	if p.stop != nil {
		p.stop()
		p.stop, p.poller, p.ear = nil, nil, signal.Ear{}
	}
	if before != nil && before.Log != nil {
		_ = before.Log.Close()
	}
	if c == nil {
		p.began, p.doc = false, nil
		return
	}
	if p.began {
		p.adopt(c)
	}
	if len(c.Sources.URLs) == 0 {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	p.stop, p.poller = stop, signal.NewPoller(c.Sources)
	go p.poller.Run(ctx, p.leads)
}

// Close ends what Configure began.
func (p *Pacer) Close() { p.Configure(nil) }

// leads says whether this edge decided lately.
func (p *Pacer) leads() bool {
	return p.now().UnixNano()-p.decided.Load() < int64(leadsFor)
}

// Saw implements line.Pacer.
func (p *Pacer) Saw() []byte {
	if p.conf.Load() == nil {
		return nil
	}
	return p.Meter.Saw(p.now()).Encode()
}

// Pace implements line.Pacer.
func (p *Pacer) Pace(sec line.Second) (line.Paced, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.conf.Load()
	if c == nil {
		return line.Paced{Off: true}, true
	}
	p.decided.Store(p.now().UnixNano())
	local := p.now()
	if sec.Began || !p.began {
		p.begin(c, &sec, local)
	}
	now := p.clock.now(local)
	// In a new line nobody of the old one is awaited; a store that lost everything counts grants anew.
	if p.epoch != 0 && sec.Epoch != p.epoch || sec.Granted < p.state.X {
		p.state.Restart(sec.Granted)
	}
	p.epoch = sec.Epoch
	in := p.inputs(c, &sec, now, local)
	var d pace.Decision
	p.state, d = pace.Next(p.state, in, now)
	// Where X goes is the line's: it knows who is present. It keeps eight seconds of this rate on the way.
	p.last, p.lastRT, p.gen = now, sec.RT, sec.Gen
	p.doc = p.document(c, &sec, in, &d, now)
	p.past.add(p.doc)
	p.write(c, &sec, in, &d, now)

	out := line.Paced{Off: !d.Applied, Gap: Gap(d.Rate), Floor: Gap(c.Pace.Floor), Stock: p.stockWord(&sec, in, &d, now)}
	if now.Sub(p.saved) >= saveEvery || math.Abs(d.Rate-p.savedRate) > saveChange*p.savedRate {
		p.saved, p.savedRate = now, d.Rate
		out.Save = p.save(c, now)
	}
	if now.Sub(p.told) >= tellEvery {
		p.told = now
		out.Tell = p.tell()
	}
	return out, true
}

// Gap is the least time between two entries at that rate, in microseconds.
func Gap(rate float64) int64 {
	if !(rate > 0) {
		return 0
	}
	return int64(min(float64(maxGap), max(1, math.Ceil(1e6/rate))))
}

// Claim counts a person who came, by how long after the entry time. Both are in microseconds of room time.
func (p *Pacer) Claim(entry, rt int64) {
	if p.conf.Load() != nil {
		p.Meter.Claim(entry, rt)
	}
}

// On says whether the room is paced.
func (p *Pacer) On() bool { return p.conf.Load() != nil }
