package gauge

import (
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// The integral is that of the number in use, however the calls come.
func TestBusyIsTheIntegralOfWhatIsInUse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b Busy
		now := time.Unix(1_800_000_000, 0)
		b.Read(now)
		var want, last time.Duration
		inUse := 0
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			d := time.Duration(rapid.IntRange(-20, 2000).Draw(t, "ms")) * time.Millisecond // a clock read earlier comes later, too
			switch now2 := now.Add(d); {
			case rapid.Bool().Draw(t, "start"):
				b.Start(now2, false)
				want, inUse = want+time.Duration(inUse)*max(d, 0), inUse+1
			case inUse > 0:
				b.End(now2)
				want, inUse = want+time.Duration(inUse)*max(d, 0), inUse-1
			default:
				continue
			}
			now = now.Add(max(d, 0))
			u := b.Read(now)
			if u.Busy < last || u.Busy != want || u.InUse != inUse {
				t.Fatalf("%+v after %s, want busy %s and %d in use", u, last, want, inUse)
			}
			last = u.Busy
		}
	})
}

func TestWaitingIsCountedUntilItEnds(t *testing.T) {
	var b Busy
	now := time.Unix(1_800_000_000, 0)
	b.Wait()
	b.Wait()
	b.Start(now, true)
	if u := b.Read(now); u.Waiting != 1 || u.InUse != 1 {
		t.Errorf("%+v, want one waiting and one in use", u)
	}
	b.GiveUp()
	b.End(now.Add(time.Second))
	if u := b.Read(now.Add(time.Second)); u != (Use{Busy: time.Second, Done: 1}) {
		t.Errorf("%+v", u)
	}
}

func TestRecentForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Recent
		for i := range 100 {
			r.Observe(time.Duration(i+1)*time.Millisecond, time.Now())
		}
		if m, n := r.Mean(time.Now()); m != 50500*time.Microsecond || n != 100 {
			t.Errorf("mean %s of %d", m, n)
		}
		for _, q := range []float64{0.5, 0.9, 0.99} {
			got, _ := r.Quantile(q, Window, time.Now())
			if true_ := time.Duration(q*100) * time.Millisecond; got < true_ || float64(got) > 1.27*float64(true_) {
				t.Errorf("quantile %g is %s, want %s or up to a quarter more", q, got, true_)
			}
		}
		time.Sleep(3 * time.Second)
		if _, n := r.Quantile(0.5, 3*time.Second, time.Now()); n != 0 {
			t.Errorf("%d of three seconds ago are within three seconds", n)
		}
		if _, n := r.Quantile(0.5, Window, time.Now()); n != 100 {
			t.Errorf("%d within ten seconds, want 100", n)
		}
		time.Sleep(Window)
		if d, n := r.Mean(time.Now()); d != 0 || n != 0 {
			t.Errorf("after the window: mean %s of %d", d, n)
		}
	})
}

func TestRecentTakesAnyDuration(t *testing.T) {
	for _, d := range []time.Duration{-time.Second, 0, time.Nanosecond, time.Hour, 1<<63 - 1} {
		var r Recent
		now := time.Unix(1_800_000_000, 0)
		r.Observe(d, now)
		if _, n := r.Quantile(1, Window, now); n != 1 {
			t.Errorf("%s is lost", d)
		}
	}
}
