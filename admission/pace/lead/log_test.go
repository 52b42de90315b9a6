package lead

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ropeline/ropeline/admission/line"
	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/pace/record"
	"github.com/ropeline/ropeline/admission/pace/replay"
)

// What a leader writes down is enough to play the event again: who came how long after being called, what people asked for
// at which age, and the configuration. The log is read as it lies on the disk.
func TestTheLogTellsWhatAReplayNeeds(t *testing.T) {
	cfg, err := pace.NewConfig(pace.Config{Resources: []pace.Resource{{Name: "site", Cost: [pace.MaxKinds]float64{pace.Page: 1}, Work: 6}}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "decisions.jsonl")
	log := record.NewLog(path)
	began := time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)
	local := began
	p := New(slog.New(slog.DiscardHandler))
	p.now = func() time.Time { return local }
	p.Configure(&Config{Room: "main", Pace: cfg, Log: log})
	defer p.Close()
	const seconds, each, lag = 150, 10, 5
	for second := range int64(seconds) {
		local = began.Add(time.Duration(second) * time.Second)
		rt, x := second*1e6, each*second
		for k := range int64(each) {
			if place := x - lag*each - k; place > 0 {
				p.Claim(rt-lag*1e6, rt)
			}
			p.Meter.End(p.Meter.Begin(pace.Page, 12*time.Second), 0)
		}
		sec := line.Second{Now: local, RT: rt, Edge: "a", Epoch: 1, Fence: 1, Gen: "g", Began: second == 0, State: "open", X: x, Granted: x, Live: 50, Cap: 500, Waiting: 3000 - x,
			Saw: []line.Saw{{Edge: "a", Said: p.Saw()}}}
		if _, ok := p.Pace(sec); !ok {
			t.Fatal("no decision")
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := replay.NewReader(f, "log")
	var s replay.Second
	n, claims, near, pages := 0, 0, 0, 0
	past := replay.New(cfg)
	for err = r.Next(&s); err == nil; err = r.Next(&s) {
		if s.Room != "main" || s.Config.Resources[0].Name != "site" || s.Inputs.Gate.X != int64(each*n) || s.Inputs.Operator.Cap != 500 {
			t.Fatalf("second %d: %+v of %+v", n, s.Inputs.Gate, s.Config)
		}
		for l, c := range s.Inputs.Gate.Claims {
			claims += int(c)
			if l >= lag-1 && l <= lag+2 {
				near += int(c)
			}
		}
		pages += int(s.Inputs.Gate.Work[pace.Page][2])
		past.Add(&s.Inputs, &s.Decision)
		n++
	}
	if !errors.Is(err, io.EOF) || n != seconds {
		t.Fatalf("%d of %d seconds, then %v", n, seconds, err)
	}
	if claims < each*(seconds-20) || near < claims*9/10 {
		t.Errorf("%d claims, %d of them %d s after the call", claims, near, lag)
	}
	if pages < each*(seconds-5) {
		t.Errorf("%d pages at age 10 to 15 s", pages)
	}
	if o := past.Outcome(); o.Joined < 2900 || o.Account.Waiting < seconds-2 {
		t.Errorf("%d joined, %d s with people waiting", o.Joined, o.Account.Waiting)
	}
}
