package replay

import (
	"math"
	"strings"
	"testing"

	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/pace/sim"
)

const (
	servers = 24.0
	people  = 30_000
)

// evening plays an event that is known in every detail and gives what its decisions tell of it.
func evening(t *testing.T, seats int, change func(second int, w *sim.World), more func(*sim.Plan)) (*Past, sim.Outcome) {
	t.Helper()
	cfg := sim.Shop(&sim.Scenario{Servers: servers, Safe: 1, Guess: 1, Seats: seats})
	past := New(cfg)
	plan := sim.Plan{
		Config: cfg, Habits: sim.Usual(), Seats: seats, Seed: 77, Last: 600, Watch: past.Add,
		Joined: func(second int) int64 { return people/2 + min(people/2, int64(second)*people/1200) },
		At: func(second int) sim.World {
			w := sim.Calm(servers)
			if change != nil {
				change(second, &w)
			}
			return w
		},
	}
	if more != nil {
		more(&plan)
	}
	o, err := sim.Play(plan)
	if err != nil {
		t.Fatal(err)
	}
	return past, o
}

func again(t *testing.T, p *Past, o Options) sim.Outcome {
	t.Helper()
	plan, _, err := p.Plan(o)
	if err != nil {
		t.Fatal(err)
	}
	out, err := sim.Play(plan)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within*math.Abs(want) {
		t.Errorf("%s: %.4g, in the event %.4g (allowed %.0f%%)", what, got, want, 100*within)
	}
}

// What is rebuilt from the decisions must be what was played: people, prices, the origin.
func TestTheEventIsFoundInItsDecisions(t *testing.T) {
	p, _ := evening(t, 0, nil, nil)
	plan, notes, err := p.Plan(Options{})
	if err != nil || len(notes) > 0 {
		t.Fatal(err, notes)
	}
	was, is := sim.Usual(), plan.Habits
	near(t, "pages", float64(is.LeastPages)+is.MorePages, float64(was.LeastPages)+was.MorePages, 0.05)
	near(t, "thinking time", is.Think, was.Think, 0.2)
	near(t, "wants a seat", is.Wants, was.Wants, 0.05)
	near(t, "walks away", is.WalksAway, was.WalksAway, 0.15)
	near(t, "form", is.Form, was.Form, 0.2)
	near(t, "work a person", is.PerPerson(), was.PerPerson(), 0.1)
	w := plan.At(500)
	near(t, "servers", w.Servers, servers, 0)
	near(t, "payment", w.PayTime, 1.2, 0.1)
	near(t, "slots", w.Slots, 2*servers, 0)
	near(t, "show rate", w.Show, 0.85, 0.04)
	if got := plan.Joined(plan.Last); got != people {
		t.Errorf("%d joined, want %d", got, people)
	}
}

// The same configuration meets the same evening.
func TestAReplayIsLikeTheEvent(t *testing.T) {
	for name, change := range map[string]func(int, *sim.World){
		"calm": nil,
		"half lost": func(second int, w *sim.World) {
			if second >= 300 && second < 600 {
				w.Servers /= 2
			}
		},
		"slow payment": func(second int, w *sim.World) {
			if second >= 300 && second < 700 {
				w.PayTime = 12
			}
		},
		"slower by half": func(second int, w *sim.World) {
			if second >= 300 {
				w.Slow = 1.5
			}
		},
		"fewer come": func(second int, w *sim.World) {
			if second >= 300 {
				w.Show = 0.6
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, was := evening(t, 0, change, nil)
			is := again(t, p, Options{Seed: 5})
			near(t, "line empty after", float64(is.Emptied), float64(was.Emptied), 0.1)
			near(t, "admitted", float64(is.Admitted), float64(was.Admitted), 0.05)
			near(t, "seconds limited by payment", float64(is.Account.Limits[1].Seconds+100), float64(was.Account.Limits[1].Seconds+100), 0.35)
		})
	}
}

// Another configuration is answered by the origin, not by the recording: that is what the loop is closed for.
func TestAnotherConfigurationMeetsTheSameOrigin(t *testing.T) {
	p, was := evening(t, 0, nil, nil)
	low, err := Set(p.Config(), "ceiling=10")
	if err != nil {
		t.Fatal(err)
	}
	held := again(t, p, Options{Config: low})
	if held.Account.Limits[pace.ByCeiling].Seconds < was.Emptied || held.Emptied < 2*was.Emptied {
		t.Errorf("under a ceiling of 10 a second the line was empty after %d s, without after %d", held.Emptied, was.Emptied)
	}
	// A configuration that fills the database to the brim has its people, its queue and its missed objectives.
	brim, err := Set(p.Config(), "db.headroom=1", "latency=30", "errors=1")
	if err != nil {
		t.Fatal(err)
	}
	if o := again(t, p, Options{Config: brim}); o.Last.Latency == 0 && o.Account.Fastest <= was.Account.Fastest {
		t.Errorf("no headroom: %.1f a second at best, with it %.1f", o.Account.Fastest, was.Account.Fastest)
	}
}

func TestWhatTheOperatorDidIsDoneAgain(t *testing.T) {
	p, was := evening(t, 0, nil, func(plan *sim.Plan) {
		plan.Operator = func(second int) pace.Operator {
			if second < 300 || second >= 600 {
				return pace.Operator{}
			}
			return pace.Operator{Override: pace.Override{Mode: pace.Pause, Who: "ops", Why: "the shop's wish", Until: sim.Clock(600)}}
		}
	})
	kept := again(t, p, Options{Overrides: true})
	if got, want := kept.Account.Limits[pace.ByPause].Seconds, was.Account.Limits[pace.ByPause].Seconds; got < want-2 || got > want+2 || want < 290 {
		t.Errorf("paused for %d s, in the event for %d s", got, want)
	}
	if without := again(t, p, Options{}); without.Account.Limits[pace.ByPause].Seconds > 0 || without.Emptied >= kept.Emptied-200 {
		t.Errorf("without the pause of 300 s the line was empty after %d s, with it after %d s", without.Emptied, kept.Emptied)
	}
}

func TestASoldOutEventSellsOutAgain(t *testing.T) {
	p, was := evening(t, 3000, nil, nil)
	is := again(t, p, Options{})
	if is.Buyers != was.Buyers || is.Sold < 0 {
		t.Fatalf("%d bought, in the event %d", is.Buyers, was.Buyers)
	}
	// The last seats depend on who lets a hold run out, and when: chance, eight minutes at a time.
	near(t, "sold before the first holds end", soldBy(is, 480), soldBy(was, 480), 0.05)
}

func soldBy(o sim.Outcome, second int) float64 {
	sold := 0
	for _, p := range o.Points {
		if p.Second <= second {
			sold = p.Sold
		}
	}
	return float64(sold)
}

func TestALogThatSaysTooLittleIsRefused(t *testing.T) {
	cfg := sim.Shop(&sim.Scenario{Servers: servers, Safe: 1, Guess: 1})
	if _, _, err := New(cfg).Plan(Options{}); err == nil || !strings.Contains(err.Error(), "no decision") {
		t.Errorf("an empty log: %v", err)
	}
	p, _ := evening(t, 0, func(_ int, w *sim.World) { w.Telemetry = false }, func(plan *sim.Plan) { plan.Most = 300 })
	if _, _, err := p.Plan(Options{}); err == nil || !strings.Contains(err.Error(), "telemetry is needed") {
		t.Errorf("an origin that tells nothing: %v", err)
	}
	few := New(cfg)
	few.Add(&pace.Inputs{}, &pace.Decision{At: sim.Clock(0)})
	if _, _, err := few.Plan(Options{}); err == nil || !strings.Contains(err.Error(), "people") {
		t.Errorf("nobody came: %v", err)
	}
}

func TestSettings(t *testing.T) {
	cfg := sim.Shop(&sim.Scenario{Servers: servers, Safe: 1, Guess: 1})
	c, err := Set(cfg, "safe_rate=7", "payment.headroom=0.5", "slew_up=0.2", "db.advisory=true")
	if err != nil {
		t.Fatal(err)
	}
	if c.SafeRate != 7 || c.Resources[1].Headroom != 0.5 || c.SlewUp != 0.2 || !c.Resources[0].Advisory {
		t.Errorf("%+v", c)
	}
	if cfg.Resources[1].Headroom == 0.5 {
		t.Error("the event's own configuration was changed")
	}
	for text, want := range map[string]string{
		"speed=1": "safe_rate", "safe_rate": "name=value", "safe_rate=fast": "number", "disk.headroom=1": "db, payment",
		"db.speed=1": "headroom", "db.headroom=2": "headroom", "floor=9": "", "ceiling=-1": "0 or more",
	} {
		if _, err := Set(cfg, text); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
