package sim

import (
	"strings"
	"testing"

	"github.com/ropeline/ropeline/admission/pace"
)

// crowdOf is a plan in which all people stand in line at the beginning.
func crowdOf(people int64, seats int, change func(second int, w *World)) Plan {
	story := &Scenario{Servers: ordinary, Safe: 1, Guess: 1, Seats: seats}
	return Plan{
		Config: Shop(story), Habits: Usual(), Seats: seats, Seed: smokeSeed,
		Joined: func(int) int64 { return people },
		At: func(second int) World {
			w := Calm(ordinary)
			if change != nil {
				change(second, &w)
			}
			return w
		},
	}
}

func played(t *testing.T, p Plan) Outcome {
	t.Helper()
	o, err := Play(p)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestAPlanEndsWhenTheLineIsDone(t *testing.T) {
	o := played(t, crowdOf(20_000, 0, nil))
	if o.Emptied < 0 || o.Account.Released() != 20_000 || o.Joined != 20_000 {
		t.Fatalf("emptied at %d, %d of %d released", o.Emptied, o.Account.Released(), o.Joined)
	}
	if share := float64(o.Admitted) / 20_000; share < 0.83 || share > 0.87 {
		t.Errorf("%.3f of the line came, the plant's share is 0.85", share)
	}
	if got := o.Account.Seconds - 1 - o.Emptied; got != quietEnd {
		t.Errorf("it ended %d s after the line", got)
	}
	if long := int(o.Account.Longest.Seconds()); long < o.Emptied-10 || long > o.Emptied {
		t.Errorf("the last waited %d s, the line was empty after %d", long, o.Emptied)
	}
	half := played(t, crowdOf(20_000, 0, func(_ int, w *World) { w.Servers /= 2 }))
	if ratio := float64(half.Emptied) / float64(o.Emptied); ratio < 1.5 || ratio > 2.6 {
		t.Errorf("half the servers take %.2f times as long", ratio)
	}
}

func TestAPlanEndsWhenEverythingIsSold(t *testing.T) {
	o := played(t, crowdOf(40_000, 3000, nil))
	if o.Sold < 0 || o.Buyers != 3000 || o.Emptied >= 0 {
		t.Fatalf("sold out at %d, %d bought, line empty at %d", o.Sold, o.Buyers, o.Emptied)
	}
	if o.Account.Limits[pace.ByStock].Seconds == 0 {
		t.Error("the stock never limited anything")
	}
}

// The limit that something is known to have caused is the one that the minutes are charged to.
func TestMinutesAreChargedToTheirCause(t *testing.T) {
	o := played(t, crowdOf(30_000, 0, func(second int, w *World) {
		if second >= 300 && second < 700 {
			w.PayTime = 12
		}
	}))
	calm := played(t, crowdOf(30_000, 0, nil))
	if o.Account.Limits[1].Seconds < 300 || calm.Account.Limits[1].Seconds > 20 {
		t.Errorf("payment decided for %d s while it was slow, and for %d s when it never was", o.Account.Limits[1].Seconds, calm.Account.Limits[1].Seconds)
	}
	if o.Account.Lost(1) <= calm.Account.Lost(1) {
		t.Errorf("payment cost %v, and %v when it was well", o.Account.Lost(1), calm.Account.Lost(1))
	}
}

func TestAnOperatorIsObeyed(t *testing.T) {
	p := crowdOf(5_000, 0, nil)
	p.Most = 300
	p.Operator = func(second int) pace.Operator {
		return pace.Operator{Override: pace.Override{Mode: pace.Pin, Rate: 3, Who: "ops", Why: "a look", Until: Clock(200)}}
	}
	o := played(t, p)
	if n := o.Account.Limits[pace.ByPin].Seconds; n < 198 || n > 202 {
		t.Errorf("pinned for %d s, the pin ends at 200", n)
	}
}

func TestImpossiblePlansAreRefused(t *testing.T) {
	for want, change := range map[string]func(*Plan){
		"configuration": func(p *Plan) { p.Config = nil },
		"nobody":        func(p *Plan) { p.Habits.Wants = 1.2 },
		"24 hours":      func(p *Plan) { p.Most = MostSeconds + 1 },
	} {
		p := crowdOf(1, 0, nil)
		change(&p)
		if _, err := Play(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
