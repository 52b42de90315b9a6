package lead

import (
	"encoding/json"
	"log/slog"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ropeline/ropeline/admission/line"
	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/pace/gate"
	"github.com/ropeline/ropeline/admission/pace/record"
	"github.com/ropeline/ropeline/admission/pace/report"
)

var night = time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)

// stage is a room in virtual time at one edge: what the line would tell the pacer, second by second.
type stage struct {
	t     *testing.T
	p     *Pacer
	local time.Time // of the edge
	sec   line.Second
	seen  gate.Saw // counts of another edge, where people come and ask
	rest  float64
	last  line.Paced
}

func config(t *testing.T, shadow bool) *Config {
	t.Helper()
	c, err := pace.NewConfig(pace.Config{Resources: []pace.Resource{{Name: "origin", Cost: [pace.MaxKinds]float64{1, 1, 1, 0, 1}, Work: 10}}, SafeRate: 2, Stock: true})
	if err != nil {
		t.Fatal(err)
	}
	return &Config{Room: "hall", Shadow: shadow, Pace: c, Log: record.NewLog(filepath.Join(t.TempDir(), "decisions.jsonl"))}
}

func newStage(t *testing.T, c *Config) *stage {
	s := &stage{t: t, local: time.Now(), p: New(slog.New(slog.DiscardHandler))}
	s.seen.Process = 1
	s.sec = line.Second{Now: night, RT: 1e6, Edge: "one", Epoch: 7, Fence: 1, Gen: "g", Began: true, State: "open", Cap: line.MaxCap, Waiting: 1000}
	s.p.now = func() time.Time { return s.local }
	s.p.Configure(c)
	t.Cleanup(s.p.Close)
	return s
}

// second lets one pass in which people come at the rate of the last decision, each with twelve requests at once.
func (s *stage) second() *report.Document {
	s.t.Helper()
	s.local, s.sec.Now, s.sec.RT = s.local.Add(time.Second), s.sec.Now.Add(time.Second), s.sec.RT+1e6
	if s.sec.Waiting > 0 {
		s.rest += perSecond(s.last.Gap)
	}
	n := uint64(s.rest)
	s.rest -= float64(n)
	s.sec.Granted += int64(n)
	s.seen.Claims[2] += n
	s.seen.Work[pace.Page][0] += 12 * n
	return s.decide()
}

func (s *stage) decide() *report.Document {
	s.t.Helper()
	s.sec.Saw = []line.Saw{{Edge: "one", RT: s.sec.RT, Said: s.p.Saw()}, {Edge: "two", RT: s.sec.RT, Said: s.seen.Encode()}}
	d, ok := s.p.Pace(s.sec)
	if !ok {
		s.t.Fatal("no decision")
	}
	s.sec.Began, s.last = false, d
	return s.p.Document()
}

// Hours of rest prove nothing about an origin: the rate grows only while people wait.
func TestRestIsNoProof(t *testing.T) {
	s := newStage(t, config(t, false))
	s.sec.Waiting = 0
	var d *report.Document
	for range 3600 {
		d = s.second()
	}
	if d.Rate > 2 {
		t.Fatalf("after an hour of rest the rate is %v", d.Rate)
	}
	s.sec.Waiting = 1000
	for range 120 {
		before := d.Rate
		if d = s.second(); d.Rate > before*1.06 && d.Limits["slew"] > before*1.06 {
			t.Fatalf("the rate leaps from %v to %v by %s", before, d.Rate, d.Reason)
		}
	}
	if d.Rate < 5 || d.Blind != true {
		t.Errorf("after two minutes with people and a healthy origin the rate is %v: %s", d.Rate, d.Sentence)
	}
}

// A successor goes on from what the leader left: the rate neither falls nor leaps, people who came meanwhile are counted
// once, and neither a store's clock that was set nor its own age of the process is taken for time.
func TestSuccessorGoesOn(t *testing.T) {
	first := newStage(t, config(t, false))
	var saved []byte
	var savedRT int64
	var before *report.Document
	for range 100 {
		before = first.second()
		if first.last.Save != nil {
			saved, savedRT = first.last.Save, first.sec.RT
		}
	}
	if len(saved) == 0 || len(saved) > 200<<10 {
		t.Fatalf("a leader leaves %d bytes", len(saved))
	}
	inside := func(d *report.Document) (n float64) {
		for _, v := range d.Pipeline.Ages {
			n += v
		}
		return n
	}
	for _, leap := range []time.Duration{0, time.Hour, -time.Hour} {
		c := config(t, false)
		next := newStage(t, c)
		next.sec, next.seen, next.last, next.rest = first.sec, first.seen, first.last, first.rest
		next.sec.Paced, next.sec.Gap = true, first.last.Gap
		next.sec.Edge, next.sec.Began, next.sec.Fence, next.sec.Saved, next.sec.SavedRT = "three", true, 2, saved, savedRT
		next.sec.Now = next.sec.Now.Add(leap)
		came := 0.0
		for range 3 { // nobody leads
			n := uint64(perSecond(next.last.Gap))
			came += float64(n)
			next.sec.Granted, next.sec.RT = next.sec.Granted+int64(n), next.sec.RT+1e6
			next.seen.Claims[2] += n
			next.seen.Work[pace.Page][0] += 12 * n
		}
		d := next.decide()
		if d.Rate < 0.88*before.Rate || d.Rate > 1.12*before.Rate {
			t.Errorf("leap %v: the successor goes on with %v after %v: %s", leap, d.Rate, before.Rate, d.Sentence)
		}
		if got, want := inside(d), inside(before)+came; math.Abs(got-want) > 0.02*want {
			t.Errorf("leap %v: %v people are inside, %v came", leap, got, want)
		}
		if len(d.History) < 10 || d.Leader.Edge != "three" || d.Leader.Fence != 2 {
			t.Errorf("leap %v: history of %d, leader %+v", leap, len(d.History), d.Leader)
		}
	}
	// What cannot be read is no reason to stop: it begins anew, at the safe rate.
	next := newStage(t, config(t, false))
	next.sec.Saved, next.sec.SavedRT = []byte("{"), 5
	if d := next.decide(); d.Rate < 2 || d.Rate > 2.1 {
		t.Errorf("with rubbish left the rate is %v", d.Rate)
	}
}

// Operators' words: each has its effect while it lasts, by the store's clock, and the return is no leap.
func TestOrders(t *testing.T) {
	s := newStage(t, config(t, false))
	var d *report.Document
	for range 60 {
		d = s.second()
	}
	free := d.Rate
	say := func(mode pace.Mode, rate float64) {
		t.Helper()
		o, err := NewOrder(mode, rate, "ops", "a look", s.sec.Now, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		s.sec.Order = o.Text()
	}
	say(pace.Pin, 1.5)
	if d = s.second(); d.Rate != 1.5 || d.Mode != report.Pin || d.Override.Who != "ops" || !strings.Contains(d.Sentence, "pinned by ops until 20:0") || s.last.Gap != 666667 {
		t.Errorf("pinned: %+v", d)
	}
	for d.Mode == report.Pin {
		d = s.second()
	}
	if d.Rate > 1.5*1.06 {
		t.Errorf("back from the pin with %v", d.Rate)
	}
	for range 120 {
		d = s.second()
	}
	if d.Rate < free {
		t.Errorf("two minutes after the pin the rate is %v, was %v", d.Rate, free)
	}
	say(pace.Drain, 0)
	if d = s.second(); d.Rate != 0 || s.last.Gap != 0 || d.Mode != report.Drain {
		t.Errorf("drained: %+v", d)
	}
	say(pace.Shadow, 0)
	if d = s.second(); d.Applied || !s.last.Off || d.Rate == 0 {
		t.Errorf("shadow: %+v", d)
	}
	s.sec.Order, s.sec.State = "", "paused"
	if d = s.second(); d.Rate != 0 || d.Mode != report.Pause {
		t.Errorf("paused: %+v", d)
	}
	s.sec.State = line.StateMerging
	if d = s.second(); d.Rate != 0 || d.Reason != "store" {
		t.Errorf("merging: %+v", d)
	}
}

// A room that is full is held by its cap: the rate is not tried, so it does not grow, and the explanation names the cap.
func TestCapHolds(t *testing.T) {
	s := newStage(t, config(t, false))
	var d *report.Document
	for range 60 {
		d = s.second()
	}
	rate := d.Rate
	s.sec.Cap, s.sec.Live = 50, 50
	gap := s.last.Gap
	for range 200 {
		d = s.second()
		s.last.Gap = 10_000_000 // one leaves in ten seconds
	}
	if d.Reason != "active_cap" || !strings.HasPrefix(d.Sentence, "50 people are inside") || d.Rate > rate*1.06 {
		t.Errorf("full: the rate goes from %v (gap %d) to %v by %s: %s", rate, gap, d.Rate, d.Reason, d.Sentence)
	}
	s.sec.Live = 10
	if d = s.second(); d.Reason == "active_cap" || d.Rate < rate*0.9 {
		t.Errorf("with slots free again the rate is %v after %v: %s", d.Rate, rate, d.Sentence)
	}
}

// A new line forgets who was called in the old one, and keeps what is known of the origin.
func TestReset(t *testing.T) {
	s := newStage(t, config(t, false))
	var d *report.Document
	for range 60 {
		d = s.second()
	}
	rate := d.Rate
	s.sec.Epoch, s.sec.Granted = 8, 0
	d = s.second()
	if d.Pipeline.Pending > d.Rate*3 || d.Rate < rate*0.9 || d.Epoch != 8 {
		t.Errorf("in a new line %v are pending, rate %v after %v", d.Pipeline.Pending, d.Rate, rate)
	}
	for range 10 {
		d = s.second()
	}
	if d.Pipeline.Pending == 0 {
		t.Error("nobody of the new line is pending")
	}
}

// The record of each second explains it exactly, inputs included, and shadow is recorded like anything else.
func TestRecords(t *testing.T) {
	c := config(t, true)
	s := newStage(t, c)
	s.sec.Fixed, s.last.Gap = 500_000, 500_000
	docs := map[time.Time]*report.Document{}
	for range 20 {
		d := s.second()
		docs[d.Now] = d
		s.last.Gap = 500_000
	}
	for at, d := range docs {
		r, err := c.Log.At(at.Add(300 * time.Millisecond))
		if err != nil {
			t.Fatal(err)
		}
		if !r.At.Equal(at) || r.Rate != d.Rate || r.Sentence != d.Sentence || r.Applied || r.InForce != 2 || r.Limits["slew"] != d.Limits["slew"] || r.Inputs.Requests["page"] != 12*r.Inputs.Claims {
			t.Errorf("%v: recorded %+v, told %+v", at, r, d)
		}
	}
}

// The stock's word: sold out only when every seat is confirmed as sold, nothing when the origin's word is old.
func TestStockWord(t *testing.T) {
	s := newStage(t, config(t, false))
	now := night
	for name, c := range map[string]struct {
		avail, held, sold float64
		age               time.Duration
		state             pace.StockState
		want              string
	}{
		"open":     {50, 10, 40, time.Second, pace.Open, "open 50 -1"},
		"held":     {0, 3, 97, time.Second, pace.AllHeld, "all_held 0 9"},
		"sold":     {0, 0, 100, time.Second, pace.SoldOut, "sold_out 0 -1"},
		"old word": {0, 0, 100, 15 * time.Second, pace.SoldOut, ""},
		"nobody":   {0, 0, 0, 0, pace.Unlimited, ""},
	} {
		in := &pace.Inputs{Stock: pace.Stock{At: now.Add(-c.age), Available: c.avail, Held: c.held, Sold: c.sold, Total: 100}}
		d := &pace.Decision{Stock: c.state, Back: -1}
		if c.state == pace.AllHeld {
			d.Back = 7.2
		}
		got := s.p.stockWord(&s.sec, in, d, now)
		if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if st, ok := ParseStock(got, s.sec.Now); ok != (c.want != "") || ok && (st.State != strings.Fields(c.want)[0] || s.sec.Now.Sub(st.At) != c.age) {
			t.Errorf("%s is read as %+v, %v", name, st, ok)
		}
		if _, ok := ParseStock(got, s.sec.Now.Add(StockSaid)); ok {
			t.Errorf("%s: an old word is passed on", name)
		}
	}
}

// Every document is JSON, whatever its floats are.
func TestDocumentsAreJSON(t *testing.T) {
	s := newStage(t, config(t, false))
	for range 40 {
		if _, err := json.Marshal(s.second()); err != nil {
			t.Fatal(err)
		}
	}
	if s.p.doc.Resources[0].Work != nil && math.IsInf(*s.p.doc.Resources[0].Work, 0) {
		t.Error("infinite")
	}
}
