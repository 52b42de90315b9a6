package lead

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/ropeline/ropeline/admission/line"
	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/pace/report"
)

// history is one moment in five seconds for ten minutes, the oldest first.
type history []report.Moment

const (
	pastEvery = 5 * time.Second
	pastMost  = 120
)

func (h *history) add(d *report.Document) {
	if n := len(*h); n > 0 && d.Now.Sub((*h)[n-1].At) < pastEvery && d.Now.After((*h)[n-1].At) {
		return
	}
	if len(*h) >= pastMost {
		*h = append((*h)[:0], (*h)[1:]...)
	}
	*h = append(*h, report.Moment{At: d.Now, Mode: d.Mode, Rate: d.Rate, Reason: d.Reason, P99: d.Quality.P99, Limits: d.Limits})
}

// number is what JSON can say of a float.
func number(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}

// finite is nil for what does not bind.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

func perSecond(gap int64) float64 {
	if gap <= 0 {
		return 0
	}
	return 1e6 / float64(gap)
}

func (p *Pacer) document(c *Config, sec *line.Second, in *pace.Inputs, d *pace.Decision, now time.Time) *report.Document {
	g, cfg := &in.Gate, c.Pace
	doc := &report.Document{
		Room: c.Room, Epoch: sec.Epoch, Now: sec.Now, Mode: d.Mode.String(), Configured: c.mode().String(), Applied: d.Applied,
		Blind: d.Resources[0].Blind, Rate: number(d.Rate), InForce: number(d.Rate), Release: number(d.Release),
		Reason: cfg.Name(d.Reason), Limits: map[string]float64{},
		Leader: report.Leader{Edge: sec.Edge, Since: p.since, Fence: p.fence},
	}
	if !d.Applied {
		doc.InForce = perSecond(sec.Fixed)
	}
	// The sentence says until when by the store's clock, as everybody's watch does.
	said := *d
	said.Override.Until = sec.Now.Add(d.Override.Until.Sub(now))
	doc.Sentence = cfg.Sentence(&said)
	if full(sec) && d.Rate > 0 {
		doc.Sentence = fullSentence(sec.Live, int64(sec.Cap), d.Rate)
		doc.Reason = cfg.Name(pace.ByCap)
	}
	if o := said.Override; d.Mode != pace.Auto && o.Who != "" {
		doc.Override = &report.Override{Mode: o.Mode.String(), Rate: o.Rate, Who: o.Who, Why: o.Why, Until: o.Until}
	}
	for i, v := range d.Limits {
		if l := pace.Limit(i); !math.IsInf(v, 1) && (i < len(cfg.Resources) || l >= pace.MaxResources) {
			doc.Limits[cfg.Name(l)] = number(v)
		}
	}
	q := &doc.Quality
	q.P99, q.Errors, q.Flight, q.Payment = number(g.P99), number(g.Failed), number(g.Flight), p.ear.Payment.Value
	q.Requests = float64(g.Asked) / 10
	if !in.LockWait.At.IsZero() {
		q.LockWait = in.LockWait.Value
	}
	q.Objective.P99, q.Objective.Errors, q.Objective.LockWait = cfg.Latency, cfg.Errors, cfg.LockWait
	q.P99Share, q.ErrorsShare, q.LockWaitShare = number(d.Latency), number(d.Errors), number(d.Locks)
	for i := range cfg.Resources {
		doc.Resources = append(doc.Resources, p.resource(cfg, i, d))
	}
	doc.Pipeline = p.pipeline(sec, d)
	p.signals(c, doc, in, sec, now)
	doc.Stock = p.stock(in, d, now)
	return doc
}

// fullSentence says how a full room goes on. A cap that was lowered leaves more inside than it allows: nobody is sent out.
func fullSentence(inside, most int64, rate float64) string {
	if over := inside - most; over > 0 {
		return fmt.Sprintf("%d people are inside and the most allowed is %d: %d must leave first, then one goes in as one leaves; the rate would be %.2f people a second", inside, most, over, rate)
	}
	return fmt.Sprintf("%d people are inside, which is the most allowed, so one goes in as one leaves; the rate would be %.2f people a second", inside, rate)
}

func (p *Pacer) resource(cfg *pace.Config, i int, d *pace.Decision) report.Resource {
	b := &d.Resources[i]
	r := report.Resource{Name: cfg.Resources[i].Name, Rate: finite(b.Rate), Capacity: number(b.Servers), Used: number(b.Used), Work: finite(b.Work),
		Person: number(p.state.Work(i)), Cost: number(b.Cost), Trim: number(b.Phi), Within: float64(b.Within), Advisory: cfg.Resources[i].Advisory,
		Blind: b.Blind, Doubted: b.Doubted, State: stateOf(b.Signal), LoadStep: pace.AgeBucket}
	f := p.state.Forecast(i)
	for t, anyway := range f.Anyway {
		r.LoadAnyway, r.LoadEach = append(r.LoadAnyway, round(anyway)), append(r.LoadEach, round(f.Unit[t]))
		r.Load = append(r.Load, round(anyway+d.Rate*f.Unit[t]))
	}
	return r
}

// round keeps four significant digits: more would only make the document longer.
func round(v float64) float64 {
	if v = number(v); v == 0 {
		return 0
	}
	scale := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*scale) / scale
}

func (p *Pacer) pipeline(sec *line.Second, d *pace.Decision) report.Pipeline {
	out := report.Pipeline{Waiting: max(sec.Waiting, sec.Door), Pending: round(d.Pending), Inside: sec.Live, Cap: sec.Cap,
		Show: number(d.Show), ShowDoes: number(d.ShowSigma), AgeStep: pace.AgeBucket}
	for i, n := range p.state.Inside() {
		out.Ages = append(out.Ages, round(n))
		if i < 2 {
			out.Arriving += n / (2 * pace.AgeBucket)
		}
	}
	out.Arriving = round(out.Arriving)
	return out
}

func (p *Pacer) stock(in *pace.Inputs, d *pace.Decision, now time.Time) *report.Stock {
	name, told := stockNames[d.Stock]
	if !told {
		return nil
	}
	s := in.Stock
	out := &report.Stock{State: name, Available: s.Available, Held: s.Held, Sold: s.Sold, Total: s.Total, Need: round(d.Need), Free: round(d.Seats),
		Step: pace.AgeBucket, Age: round(now.Sub(s.At).Seconds()), Expiring: append([]float64{}, s.Expiring[:]...)}
	if d.Back >= 0 {
		out.BackIn = finite(d.Back)
	}
	return out
}

// tell is the document for the other edges.
func (p *Pacer) tell() []byte {
	d := *p.doc
	d.History = p.past
	b, err := json.Marshal(&d)
	if err != nil {
		p.log.Error("the report on admission cannot be written", "error", err)
		return nil
	}
	return b
}

// Document is the leader's newest, if this edge leads; nil otherwise.
func (p *Pacer) Document() *report.Document {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.doc == nil || !p.leads() {
		return nil
	}
	d := *p.doc
	d.History = append(history{}, p.past...)
	return &d
}
