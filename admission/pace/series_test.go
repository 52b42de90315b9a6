package pace

import (
	"math"
	"testing"
	"time"
)

func TestSeriesAddsInstancesAndSurvivesARestart(t *testing.T) {
	var s Series
	at := func(sec int) time.Time { return start.Add(time.Duration(sec) * time.Second) }
	say := func(name string, began, sec int, busy, pages float64) {
		s.Add(Counters{Instance: name, Started: at(began), At: at(sec), Busy: busy, Done: [MaxKinds]float64{Page: pages}, Capacity: 10})
	}
	say("a", -100, 0, 500, 9000)
	say("b", -50, 0, 100, 2000)
	if r := s.Reading(at(0)); !r.At.IsZero() {
		t.Errorf("first answers are no interval: %+v", r)
	}
	say("a", -100, 2, 512, 9300)
	say("b", -50, 2, 108, 2200)
	r := s.Reading(at(2))
	if r.Busy != 20 || r.Done[Page] != 500 || r.Capacity != 20 || r.Seconds != 2 {
		t.Errorf("two instances in two seconds: %+v", r)
	}
	if again := s.Reading(at(3)); !again.At.IsZero() {
		t.Errorf("the same interval twice: %+v", again)
	}
	say("a", 3, 4, 1, 20) // restarted: its counters begin anew
	say("b", -50, 4, 116, 2400)
	if r := s.Reading(at(4)); r.Busy != 8 || r.Done[Page] != 200 {
		t.Errorf("after a restart of one: %+v", r)
	}
	say("b", -50, 3, 90, 1900) // an old answer that comes late
	say("a", 3, 6, 11, 220)
	if r := s.Reading(at(6)); math.Abs(r.Busy-10) > 1e-9 {
		t.Errorf("a late answer counted: %+v", r)
	}
	say("a", 3, 30, 100, 2000)
	if r := s.Reading(at(30)); r.Capacity != 10 {
		t.Errorf("b has been silent for 26 s and its capacity of 10 still counts: %v", r.Capacity)
	}
}
