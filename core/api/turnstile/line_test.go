package turnstile

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// upTo lets so many in at once.
func upTo(n *int) func(int) bool { return func(inside int) bool { return inside < *n } }

func TestOrderIsKeptAndNobodyIsBeyondTheLimit(t *testing.T) {
	for _, room := range []int{1, 3} {
		synctest.Test(t, func(t *testing.T) {
			l := &Line{May: upTo(&room)}
			var mu sync.Mutex
			var came []int
			inside, most := 0, 0
			var all sync.WaitGroup
			for i := range 40 {
				all.Go(func() {
					leave, err := l.Enter(t.Context(), nil)
					if err != nil {
						t.Errorf("%d: %v", i, err)
						return
					}
					mu.Lock()
					came = append(came, i)
					inside++
					most = max(most, inside)
					mu.Unlock()
					time.Sleep(100 * time.Millisecond)
					mu.Lock()
					inside--
					mu.Unlock()
					leave()
					leave() // twice is once
				})
				synctest.Wait() // one after the other
			}
			all.Wait()
			// Those of one moment may be seen in any order.
			for at, i := range came {
				if i/room != at/room {
					t.Fatalf("they went in as %v, %d at once", came, room)
				}
			}
			if len(came) != 40 || most != room {
				t.Errorf("%d went in, %d at once, want 40 and %d", len(came), most, room)
			}
			if w, in := l.Waiting(); w != 0 || in != 0 {
				t.Errorf("%d wait and %d are inside at the end", w, in)
			}
		})
	}
}

func TestWhoGoesAwayStandsInNobodysWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := 1
		l := &Line{May: upTo(&room)}
		leave, _ := l.Enter(t.Context(), nil)
		gone, cancel := context.WithCancel(t.Context())
		first, second := make(chan error, 1), make(chan error, 1)
		go func() { _, err := l.Enter(gone, nil); first <- err }()
		synctest.Wait()
		go func() {
			out, err := l.Enter(t.Context(), nil)
			if err == nil {
				out()
			}
			second <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-first; !errors.Is(err, context.Canceled) {
			t.Errorf("who went away: %v", err)
		}
		if w, _ := l.Waiting(); w != 1 {
			t.Errorf("%d wait, want the other one", w)
		}
		leave()
		if err := <-second; err != nil {
			t.Errorf("the other one: %v", err)
		}
		if _, err := l.Enter(gone, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("who comes already gone: %v", err)
		}
	})
}

func TestFullAndTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := 0
		l := &Line{May: upTo(&room), MostWaiting: 2}
		began := time.Now()
		end := make(chan error, 2)
		for range 2 {
			go func() { _, err := l.Enter(t.Context(), nil); end <- err }()
		}
		synctest.Wait()
		if _, err := l.Enter(t.Context(), nil); !errors.Is(err, ErrFull) {
			t.Errorf("the third: %v, want full", err)
		}
		for range 2 {
			if err := <-end; !errors.Is(err, ErrTime) {
				t.Errorf("%v, want that time is up", err)
			}
		}
		if took := time.Since(began); took != Longest {
			t.Errorf("they waited %s, want %s", took, Longest)
		}
		if w, _ := l.Waiting(); w != 0 {
			t.Errorf("%d still wait", w)
		}
	})
}

// Whoever comes when there is room again stands behind those who have waited for it.
func TestNobodyOvertakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := 0
		l := &Line{May: upTo(&room)}
		came := make(chan string, 2)
		enter := func(who string) {
			leave, err := l.Enter(t.Context(), nil)
			if err != nil {
				t.Errorf("%s: %v", who, err)
				return
			}
			came <- who
			time.Sleep(time.Second)
			leave()
		}
		go enter("first")
		synctest.Wait()
		room = 1
		go enter("second")
		if one, two := <-came, <-came; one != "first" {
			t.Errorf("%s went in before %s", one, two)
		}
		time.Sleep(2 * time.Second)
	})
}

// Nobody has to leave for the line to move: what bounds it may be elsewhere.
func TestItMovesWhenTheBoundDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := 0
		var mu sync.Mutex
		l := &Line{May: func(in int) bool { mu.Lock(); defer mu.Unlock(); return in < room }}
		in := make(chan error, 1)
		go func() { _, err := l.Enter(t.Context(), nil); in <- err }()
		time.Sleep(3 * time.Second)
		mu.Lock()
		room = 1
		mu.Unlock()
		began := time.Now()
		if err := <-in; err != nil || time.Since(began) > 2*look {
			t.Errorf("%v after %s", err, time.Since(began))
		}
	})
}

func TestRetryAfterIsHowLongTheLineTakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		room := 1
		l := &Line{May: upTo(&room)}
		if d := l.RetryAfter(); d != Longest {
			t.Errorf("with nobody ever through: %s", d)
		}
		for range 10 { // two a second
			leave, _ := l.Enter(t.Context(), nil)
			time.Sleep(500 * time.Millisecond)
			leave()
		}
		room = 0
		ctx, cancel := context.WithCancel(t.Context())
		for range 8 {
			go func() { _, _ = l.Enter(ctx, nil) }()
		}
		synctest.Wait()
		if d := l.RetryAfter(); d < 4*time.Second || d > 10*time.Second {
			t.Errorf("eight wait, two a second go: %s", d)
		}
		cancel()
		synctest.Wait()
		time.Sleep(time.Second) // the last look
	})
}

func TestLimiterFollowsWhatThoseInsideMeet(t *testing.T) {
	l := &Limiter{Floor: 4, Ceiling: 400}
	if got := l.Step(Seen{Peak: 3}); got != 400 {
		t.Fatalf("at first %g, want the ceiling", got)
	}
	if got := l.Step(Seen{Peak: 100, Worst: 8}); got != 50 {
		t.Errorf("after a collapse with 100 inside %g, want half of them at once", got)
	}
	if got := l.Step(Seen{Peak: 50, Worst: 1.5}); got != 40 {
		t.Errorf("still slow: %g", got)
	}
	if got := l.Step(Seen{Peak: 40, Worst: 0.9}); got != 40 {
		t.Errorf("neither good nor bad: %g", got)
	}
	if got := l.Step(Seen{Peak: 40, Stuck: true}); got != 20 {
		t.Errorf("nothing comes out: %g", got)
	}
	for range 10 {
		l.Step(Seen{Peak: 1, Stuck: true})
	}
	if got := l.Step(Seen{Peak: 1, Worst: 9}); got != 4 {
		t.Errorf("%g is not the floor", got)
	}
	n := 0
	for ; l.Step(Seen{Peak: 1, Worst: 0.1}) < 400; n++ {
	}
	if n < 15 || n > 40 {
		t.Errorf("back from the floor in %d s", n)
	}
}
