package gate

import (
	"math"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ropeline/ropeline/admission/pace"
)

// What was counted is what the leader sums up, over edges, restarts and a change of the leader.
func TestCountsReachTheLeader(t *testing.T) {
	one, two := NewMeter(), NewMeter()
	at := time.Now()
	var sum Sum
	edges := func() []Edge {
		at = at.Add(time.Second)
		var out []Edge
		for name, m := range map[string]*Meter{"one": one, "two": two} {
			saw, err := Decode(m.Saw(at).Encode())
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, Edge{name, saw})
		}
		return out
	}
	one.End(one.Begin(pace.Page, 0), Good) // before this leader's time: nobody knows of when it is
	sum.Gate(edges(), 1)

	one.End(one.Begin(pace.Hold, 12*time.Second), Good)
	two.End(two.Begin(pace.Hold, 12*time.Second), Failed)
	two.End(two.Begin(pace.Page, time.Hour), Gone)
	two.End(two.Begin(Nobody, 0), Good)
	two.Claim(3_000_000, 10_500_000)
	g := sum.Gate(edges(), 1)
	if g.Work[pace.Hold][2] != 2 || g.Work[pace.Page][pace.Ages-1] != 1 || g.Claims[7] != 1 || g.Asked != 4 || g.Failed != 0.25 {
		t.Errorf("holds %d, old %d, claims %v, asked %d, failed %v", g.Work[pace.Hold][2], g.Work[pace.Page][pace.Ages-1], g.Claims, g.Asked, g.Failed)
	}
	// A successor with what was left goes on from there, one without counts from now.
	left := Sum{Bases: map[string]*Base{}}
	for name, b := range sum.Bases {
		c := *b
		left.Bases[name] = &c
	}
	two.End(two.Begin(pace.Pay, 0), Good)
	two.Claim(3_000_000, 3_000_000)
	if g := left.Gate(edges(), 2); g.Work[pace.Pay][0] != 1 || g.Claims[0]+g.Claims[1]+g.Claims[2] != 1 || g.Seconds != 2 {
		t.Errorf("after a change of the leader: %v %v", g.Work[pace.Pay][0], g.Claims)
	}
	two = NewMeter() // another process
	two.began = two.began.Add(time.Hour)
	two.End(two.Begin(pace.Pay, 0), Good)
	if g := left.Gate(edges(), 1); g.Work[pace.Pay][0] != 1 {
		t.Errorf("after a restart of an edge %d are counted", g.Work[pace.Pay][0])
	}
	if g := left.Gate(edges(), 1); g.Work[pace.Pay][0] != 0 {
		t.Errorf("counted twice: %d", g.Work[pace.Pay][0])
	}
}

// An origin that answers nothing has no answers: those under way must speak.
func TestSilentOriginIsSlow(t *testing.T) {
	m := NewMeter()
	var sum Sum
	for range 30 {
		m.Begin(pace.Page, 0)
	}
	var g pace.Gate
	for i := range 5 {
		g = sum.Gate([]Edge{{"one", m.Saw(m.began.Add(time.Duration(i+1) * time.Second))}}, 1)
	}
	if g.P99 < 4.5 || g.P99 > 5.6 || g.Asked < 30 || g.Flight < 29 || g.Flight > 31 {
		t.Errorf("5 s of silence: p99 %v of %d, flight %v", g.P99, g.Asked, g.Flight)
	}
}

// Windows forget: ten seconds for what sets trims, three for what lets a brake go.
func TestWindows(t *testing.T) {
	m := NewMeter()
	at := m.began
	see := func() (long, near uint64) {
		at = at.Add(time.Second)
		s := m.Saw(at)
		return s.Long.count(), s.Recent.count()
	}
	m.End(m.Begin(pace.Page, 0), Good)
	for i := 1; i <= 11; i++ {
		long, near := see()
		if (long == 1) != (i <= 10) || (near == 1) != (i <= 3) {
			t.Errorf("second %d: %d in ten seconds, %d in three", i, long, near)
		}
	}
}

func TestQuantiles(t *testing.T) {
	var h histogram
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		h[bucket(int64(1e9*(0.05+0.1*r.Float64())))]++
	}
	for q, want := range map[float64]float64{0.5: 0.1, 0.99: 0.149} {
		if got := h.quantile(q); math.Abs(got-want) > 0.004 {
			t.Errorf("quantile %v is %v, want %v", q, got, want)
		}
	}
	for ns := int64(1); ns < 1<<45; ns = ns*11/10 + 1 {
		b := bucket(ns)
		if s := float64(ns) / 1e9; b > 0 && b < buckets-1 && (s < edgeOf(b) || s >= edgeOf(b+1)) {
			t.Fatalf("%v s is in the bucket from %v to %v", s, edgeOf(b), edgeOf(b+1))
		}
	}
}

func TestEncoding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Saw
		s.Process = rapid.Uint64().Draw(t, "process")
		n := 0
		s.each(func(v *uint64) {
			if n++; rapid.IntRange(0, 9).Draw(t, "busy") == 0 {
				*v = uint64(rapid.Uint32().Draw(t, "n"))
			}
		})
		got, err := Decode(s.Encode())
		if err != nil || !reflect.DeepEqual(*got, s) {
			t.Fatalf("%v: %+v", err, got)
		}
	})
	// The most that can be is within what the line takes.
	var s Saw
	s.Process = math.MaxUint64
	s.each(func(v *uint64) { *v = math.MaxUint32 })
	if n := len(s.Encode()); n > 16<<10 {
		t.Errorf("the longest text has %d bytes", n)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(new(Saw).Encode())
	f.Add([]byte("AQ"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if s, err := Decode(text); err == nil && s == nil {
			t.Error("neither counts nor an error")
		}
	})
}

// Requests of many goroutines are all counted, whichever shard they take.
func TestMeterIsSafe(t *testing.T) {
	m := NewMeter()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 2000 {
				m.End(m.Begin(pace.Page, 0), Good)
			}
		})
	}
	done := make(chan struct{})
	go func() { all.Wait(); close(done) }()
	at := m.began
	for open := true; open; {
		select {
		case <-done:
			open = false
		default:
		}
		at = at.Add(time.Millisecond)
		m.Saw(at)
	}
	if s := m.Saw(at); s.Work[pace.Page][0] != 16_000 || s.Long.count() != 16_000 {
		t.Errorf("%d counted, %d answers", s.Work[pace.Page][0], s.Long.count())
	}
}

func TestLags(t *testing.T) {
	m := NewMeter()
	for rt, want := range map[int64]int{2_999_999: 0, 4_999_999: 1, 3_000_000 + 500e6: pace.Lags - 1, 1: 0} {
		before := m.claims[want]
		if m.Claim(3_000_000, rt); m.claims[want] != before+1 {
			t.Errorf("a claim at %d is not one of %d s", rt, want)
		}
	}
}

func BenchmarkRequest(b *testing.B) {
	m := NewMeter()
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			m.End(m.Begin(pace.Page, 20*time.Second), Good)
		}
	})
}
