package turnstile

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/ropeline/ropeline/core/gauge"
)

const (
	// Longest is how long somebody waits at most. Half a minute is what people bear with a word of explanation; with the
	// five seconds that the engine may need after it, it stays below what clients and proxies wait for an answer.
	Longest = 25 * time.Second
	// MostWaiting bounds a line: at one request a second it would already take longer than Longest for the last of a
	// twelfth of them, but each is only a goroutine, and capacity comes back.
	MostWaiting = 512
	// look is how often whoever waits is given a chance when nobody leaves: what bounds those inside may have moved.
	look = 50 * time.Millisecond
)

// Why somebody did not get in.
var (
	ErrFull = errors.New("the line inside is full")
	ErrTime = errors.New("the line inside did not move in time")
)

// Line lets requests in one after the other. The zero value is not ready: May is needed.
type Line struct {
	// May says whether one more may go in beside so many that are.
	May func(inside int) bool
	// Longest and MostWaiting default to the constants.
	Longest     time.Duration
	MostWaiting int

	mu      sync.Mutex
	inside  int
	peak    int // since the last Peak
	waiting list.List
	armed   bool
	moved   time.Time    // when somebody last came out, or went in with nobody inside
	took    gauge.Recent // inside
}

type waiter struct {
	turn chan struct{}
	in   bool // under the line's lock
}

// Enter waits for one's turn and returns what to call on leaving. It ends early when ctx does: who has gone away stands in
// nobody's way. waits, if given, is called before a wait begins.
func (l *Line) Enter(ctx context.Context, waits func()) (leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	if l.waiting.Len() == 0 && l.May(l.inside) {
		l.goIn()
		l.mu.Unlock()
		return l.leaver(), nil
	}
	if l.waiting.Len() >= or(l.MostWaiting, MostWaiting) {
		l.mu.Unlock()
		return nil, ErrFull
	}
	w := &waiter{turn: make(chan struct{})}
	at := l.waiting.PushBack(w)
	l.arm()
	l.mu.Unlock()

	if waits != nil {
		waits()
	}
	timer := time.NewTimer(time.Duration(or(int(l.Longest), int(Longest))))
	defer timer.Stop()
	select {
	case <-w.turn:
		return l.leaver(), nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
		err = ErrTime
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !w.in {
		l.waiting.Remove(at)
		return nil, err
	}
	if err == ErrTime { // the turn came in the same moment
		return l.leaver(), nil
	}
	l.inside--
	l.admit()
	return nil, err
}

// goIn counts one in.
func (l *Line) goIn() {
	if l.inside++; l.inside == 1 {
		l.moved = time.Now()
	}
	l.peak = max(l.peak, l.inside)
}

func (l *Line) leaver() func() {
	began := time.Now()
	var once sync.Once
	return func() {
		once.Do(func() {
			now := time.Now()
			l.took.Observe(now.Sub(began), now)
			l.mu.Lock()
			defer l.mu.Unlock()
			l.inside--
			l.moved = now
			l.admit()
		})
	}
}

// admit lets in whoever may, in order.
func (l *Line) admit() {
	for l.waiting.Len() > 0 && l.May(l.inside) {
		w := l.waiting.Remove(l.waiting.Front()).(*waiter)
		w.in = true
		l.goIn()
		close(w.turn)
	}
}

// arm looks again soon while somebody waits.
func (l *Line) arm() {
	if l.armed || l.waiting.Len() == 0 {
		return
	}
	l.armed = true
	time.AfterFunc(look, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.armed = false
		l.admit()
		l.arm()
	})
}

// State is a line at one moment.
type State struct {
	Inside, Waiting int
	Peak            int           // most inside since it was last asked
	Still           time.Duration // since somebody came out, while anybody is inside
	P99             time.Duration // inside, over the last three seconds
	PerSecond       float64       // who came out, over the last ten
}

// Read gives it and begins a new peak.
func (l *Line) Read() (s State) {
	now := time.Now()
	s.P99, _ = l.took.Quantile(0.99, 3*time.Second, now)
	_, n := l.took.Mean(now)
	s.PerSecond = float64(n) / gauge.Window.Seconds()
	l.mu.Lock()
	defer l.mu.Unlock()
	s.Inside, s.Waiting, s.Peak = l.inside, l.waiting.Len(), l.peak
	l.peak = l.inside
	if l.inside > 0 {
		s.Still = now.Sub(l.moved)
	}
	return s
}

// Waiting is how many wait now, and how many are inside.
func (l *Line) Waiting() (waiting, inside int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waiting.Len(), l.inside
}

// RetryAfter is when asking again makes sense to whoever did not get in: when those who wait now will be through at the
// speed of the last ten seconds.
func (l *Line) RetryAfter() time.Duration {
	_, n := l.took.Mean(time.Now())
	waiting, _ := l.Waiting()
	if n == 0 {
		return Longest
	}
	d := time.Duration(float64(waiting) / float64(n) * float64(gauge.Window))
	return min(max(d, 2*time.Second), Longest)
}

func or(v, otherwise int) int {
	if v == 0 {
		return otherwise
	}
	return v
}
