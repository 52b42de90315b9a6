package paced

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ropeline/ropeline/admission/pace/record"
)

// patience bounds every wait for the controller.
const patience = 100 * time.Second

// leastCalm is what this shop bears at the very least, in people a second: by its connections and the time a transaction
// takes it is some three.
const leastCalm = 1.2

// mark is a moment of the picture.
type mark struct {
	at   time.Time
	text string
}

// TestAdmissionFollowsTheShop breaks one thing after the other under a crowd, and wants the rate to fall for the true reason
// and to come back.
func TestAdmissionFollowsTheShop(t *testing.T) {
	w := up(t)
	t.Cleanup(w.draw)
	lasts := 22 * time.Second
	if *long {
		lasts = time.Minute
	}

	w.mark("the crowd comes")
	calm := w.steady()

	w.mark("a quarter of the connections")
	w.pooler.Slots(quarter)
	w.falls("db", calm, lasts)
	w.mark("all of them again")
	w.pooler.Slots(slots)
	calm = w.recovers(calm)

	w.mark("payments take ten times as long")
	w.provider(fmt.Sprintf(`{"faults":[{"kind":"delay","delay":%q}]}`, slowPayment-payment))
	w.falls("payment", calm, lasts)
	w.mark("as long as before")
	w.provider(`{}`)
	calm = w.recovers(calm)

	if *long {
		w.mark("no telemetry")
		w.telemetry.Cut()
		w.falls("stale", calm, lasts)
		w.mark("telemetry again")
		w.telemetry.Heal()
		w.recovers(calm)
	}

	w.leave()
	explained(t, w.seen.read())
	w.judge()
}

func (w *world) mark(text string) {
	w.t.Logf("%s: %s", time.Now().Format(time.TimeOnly), text)
	w.marks = append(w.marks, mark{time.Now(), text})
}

// calmFor is for how many seconds the rate has to be what the shop bears before something is broken.
const calmFor = 10

// steady waits until the rate is what the shop bears and no longer what is begun with, and gives it.
func (w *world) steady() (rate float64) {
	w.t.Helper()
	w.seen.until("the rate is as the shop bears it", patience, lasting(calmFor, func(r record.Record) bool {
		return (r.Reason == "db" || r.Reason == "slew") && r.Rate > leastCalm
	}))
	all := w.seen.read()
	for _, r := range all[len(all)-calmFor:] {
		rate += r.Rate / calmFor
	}
	w.t.Logf("calm: %.2f people a second", rate)
	return rate
}

// falls waits until the rate is well below what it was because of that limit, and lets the fault go on for the rest of its
// time. That it is because of it means: it is smaller than what every other part of the shop would bear, and a decision that
// lowered the rate has named it. (The lowest rates of all have other names: the floor that was set below it, the brake while
// answers are slow, the steps in which the rate comes back.)
func (w *world) falls(reason string, from float64, lasts time.Duration) {
	w.t.Helper()
	began, named, before := time.Now(), "", math.Inf(1)
	r := w.seen.until(fmt.Sprintf("the rate falls from %.2f because of %s", from, reason), patience, func(r record.Record) bool {
		if r.Reason == reason && r.Rate < before && named == "" {
			named = r.Sentence
		}
		before = r.Rate
		return named != "" && r.Rate < 0.6*from && limitOf(&r, reason) < 0.6*from && tightest(&r) == reason
	})
	w.t.Logf("%.0f s after: %.2f people a second (%s); it fell because: %s", time.Since(began).Seconds(), r.Rate, r.Reason, named)
	time.Sleep(lasts - time.Since(began)) // the fault's own length, at least
}

// tightest of the limits that are about the shop.
func tightest(r *record.Record) (name string) {
	least := math.Inf(1)
	for _, n := range []string{"db", "payment", "inventory", "stale"} {
		if v := limitOf(r, n); v < least {
			name, least = n, v
		}
	}
	return name
}

// recovers waits until the answers are quick and the rate is near what it was.
func (w *world) recovers(before float64) (rate float64) {
	w.t.Helper()
	began := time.Now()
	r := w.seen.until(fmt.Sprintf("the rate comes back to %.2f with quick answers", before), patience, lasting(3, func(r record.Record) bool {
		return r.Rate > 0.75*before && r.Quality.P99 < r.Quality.Objective.P99
	}))
	w.t.Logf("%.0f s after: %s", time.Since(began).Seconds(), r.Sentence)
	return r.Rate
}

// draw leaves the picture, also of a run that failed.
func (w *world) draw() {
	all := w.seen.read()
	if len(all) < 2 {
		return
	}
	png, err := picture(all, w.marks)
	if err == nil {
		err = os.WriteFile(filepath.Join(w.out, "run.png"), png, 0o644)
	}
	if err != nil {
		w.t.Error(err)
	}
}

// value of a limit; NaN: it does not bind.
func limitOf(r *record.Record, name string) float64 {
	if v, ok := r.Limits[name]; ok {
		return v
	}
	return math.NaN()
}

func usedOf(r *record.Record, name string) float64 {
	for i := range r.Resources {
		if r.Resources[i].Name == name {
			return r.Resources[i].Used
		}
	}
	return math.NaN()
}
