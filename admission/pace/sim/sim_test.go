package sim

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/ropeline/ropeline/admission/pace"
	"pgregory.net/rapid"
)

// smokeSeed is none that was tuned on.
const smokeSeed = 77

func story(t *testing.T, name string) Scenario {
	t.Helper()
	for _, s := range Scenarios() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no scenario %s", name)
	return Scenario{}
}

// duel plays the named scenarios under our controller and the oracle.
func duel(t *testing.T, names ...string) []Row {
	t.Helper()
	var stories []Scenario
	for _, n := range names {
		stories = append(stories, story(t, n))
	}
	two := slices.DeleteFunc(Contenders(), func(c Contender) bool { return c.Name != Ours && c.Name != Reference })
	return Contest(stories, two, []uint64{smokeSeed})
}

// The whole goals are for make bench-admission; this is what no change may break.
func TestSmoke(t *testing.T) {
	rows := duel(t, "flash", "small", "failover", "blackout", "slow_payment", "lying", "leader_crash", "no_signal", "sold_out")
	for i := range rows {
		r := &rows[i]
		if r.Contender != Ours {
			continue
		}
		s, ref := &r.Scores[0], &find(rows, r.Scenario.Name, Reference).Scores[0]
		name := r.Scenario.Name
		leastWork, mostOver := 0.88, 0.01
		if name == "no_signal" {
			leastWork, mostOver = 0.75, 0.06
		}
		if s.Work < leastWork*ref.Work {
			t.Errorf("%s: useful work is %.3f of the oracle's", name, s.Work/ref.Work)
		}
		if s.Over > ref.Over+mostOver {
			t.Errorf("%s: %.1f%% of the time over the objective, the oracle %.1f%%", name, 100*s.Over, 100*ref.Over)
		}
		if s.Disorder != 0 || s.SoldLie != 0 {
			t.Errorf("%s: %v places out of order, %v seconds of a sold out that was not true", name, s.Disorder, s.SoldLie)
		}
	}
	sold := find(rows, "sold_out", Ours).Scores[0]
	if want := float64(story(t, "sold_out").Seats); sold.Buyers > want || sold.Buyers < 0.99*want {
		t.Errorf("%v of %v seats were sold", sold.Buyers, want)
	}
}

func TestOneSeedIsOneStory(t *testing.T) {
	s := story(t, "noisy")
	s.Seconds = 300
	a, b := Run(&s, smokeSeed, newOurs(&s)), Run(&s, smokeSeed, newOurs(&s))
	if a.Work != b.Work || a.Buyers != b.Buyers || a.Admitted != b.Admitted {
		t.Errorf("two runs of one seed: %v and %v", a.Work, b.Work)
	}
	if c := Run(&s, smokeSeed+1, newOurs(&s)); c.Work == a.Work {
		t.Error("two seeds gave the same run")
	}
}

// What the oracle is told about people must be what people do.
func TestTruthIsWhatPeopleBring(t *testing.T) {
	w := calm(ordinary)
	if got, want := tail(&known(&w).db)[0], w.perPerson(); math.Abs(got-want) > 0.01*want {
		t.Errorf("the kernel sums to %.4f server seconds a person, the plant's mean is %.4f", got, want)
	}
}

// A plant in which nothing can go wrong would judge nobody.
func TestOverloadKeepsItselfAlive(t *testing.T) {
	s := story(t, "flash")
	if got := Run(&s, smokeSeed, &fixed{share: 1.1}); got.Over < 0.5 {
		t.Errorf("10%% more people than the database bears: over the objective in only %.0f%% of the time", 100*got.Over)
	}
	if got := Run(&s, smokeSeed, &fixed{share: 0.7}); got.Over > 0.001 {
		t.Errorf("at 70%% of its capacity the database misses its objective in %.1f%% of the time", 100*got.Over)
	}
}

// A limiter made for single requests fails here; if it does not, the plant has lost what makes it peculiar.
func TestSimpleControllersDoWorse(t *testing.T) {
	s := story(t, "half_lost")
	own := Run(&s, smokeSeed, newOurs(&s))
	for _, c := range Contenders() {
		if c.Name != "static 0.8" && c.Name != "gradient2" && c.Name != "batches of 60 s" {
			continue
		}
		got := Run(&s, smokeSeed, c.New(&s))
		if got.Work > own.Work && got.Over <= own.Over+0.05 {
			t.Errorf("%s does more work (%.0f to %.0f) without being worse over the objective", c.Name, got.Work, own.Work)
		}
	}
}

// fixed releases a share of what saturates the database.
type fixed struct {
	releaser
	share float64
}

func (f *fixed) Tick(p *plant, _ *pace.Inputs) int64 { return f.to(p, f.share*full(p)) }

func TestFiguresSayWhatWasMissed(t *testing.T) {
	rows := duel(t, "flash")
	for _, f := range Figures(rows) {
		if f.Name == "calm.work" {
			if f.Met() != (f.Value >= f.Goal) {
				t.Errorf("%+v", f)
			}
			return
		}
	}
	t.Error("no figure for the calm scenarios")
}

func TestTableNamesEveryContender(t *testing.T) {
	rows := duel(t, "flash")
	var b strings.Builder
	Print(&b, rows)
	for _, want := range []string{"flash", Ours, Reference} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the table lacks %s:\n%s", want, b.String())
		}
	}
}

func TestQueueGivesEventsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		last := 0.0
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			if len(q) > 0 && rapid.Bool().Draw(t, "pop") {
				e := q.pop()
				if e.at < last {
					t.Fatalf("an event of %v after one of %v", e.at, last)
				}
				last = e.at
				continue
			}
			q.push(event{at: last + rapid.Float64Range(0, 100).Draw(t, "in")})
		}
	})
}
