package sim

import (
	"math"
	"runtime"
	"slices"
	"sync"
)

// TuningSeeds are those the parameters were chosen on. They never judge.
var TuningSeeds = []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}

// JudgingSeeds are the ones figures are printed for.
var JudgingSeeds = []uint64{101, 102, 103, 104, 105, 106, 107, 108, 109, 110}

// Contender is a controller by name; each run gets a new one.
type Contender struct {
	Name string
	New  func(*Scenario) Controller
}

// Reference is the contender that the others are measured against.
const Reference = "causal"

// Ours is the name of the controller of package pace.
const Ours = "ropeline"

// Contenders are all that run, in the order they are printed.
func Contenders() []Contender {
	return []Contender{
		{Ours, newOurs},
		{Reference, func(*Scenario) Controller { return &oracle{} }},
		{"clairvoyant", func(*Scenario) Controller { return &oracle{foresight: true, expiry: true} }},
		{"static 0.8", func(*Scenario) Controller { return &static{} }},
		{"pi, true gain", func(*Scenario) Controller { return &pi{} }},
		{"aimd 5s 0.9", func(*Scenario) Controller { return &aimd{every: 5, factor: 0.9} }},
		{"aimd 60s 0.7", func(*Scenario) Controller { return &aimd{every: 60, factor: 0.7} }},
		{"gradient2", func(*Scenario) Controller { return gradientDefault() }},
		{"gradient2 tuned", func(s *Scenario) Controller { return gradientTuned(s.Servers) }},
		{"bbr", func(*Scenario) Controller { return &bbr{} }},
		{"one in, one out", func(*Scenario) Controller { return inOut{} }},
		{"batches of 60 s", func(*Scenario) Controller { return &batches{} }},
	}
}

// Row is what one contender reached in one scenario, seed by seed.
type Row struct {
	Scenario  *Scenario
	Contender string
	Scores    []Score
}

// Contest plays every scenario with every seed under every contender, on all processors. Scores are in the order of the
// seeds, and the same whatever ran beside them.
func Contest(stories []Scenario, who []Contender, seeds []uint64) []Row {
	rows := make([]Row, 0, len(stories)*len(who))
	for i := range stories {
		for _, c := range who {
			rows = append(rows, Row{Scenario: &stories[i], Contender: c.Name, Scores: make([]Score, len(seeds))})
		}
	}
	type job struct{ row, seed int }
	jobs := make(chan job)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for j := range jobs {
				r := &rows[j.row]
				r.Scores[j.seed] = Run(r.Scenario, seeds[j.seed], who[j.row%len(who)].New(r.Scenario))
			}
		})
	}
	for row := range rows {
		for seed := range seeds {
			jobs <- job{row, seed}
		}
	}
	close(jobs)
	wg.Wait()
	converge(rows)
	return rows
}

// converge says for each run when its work first reached 90 % of the reference's at the same time.
func converge(rows []Row) {
	for i := range rows {
		r := &rows[i]
		ref := find(rows, r.Scenario.Name, Reference)
		for k := range r.Scores {
			if ref != nil {
				r.Scores[k].Converged = caughtUp(r.Scores[k].series, ref.Scores[k].series)
			}
		}
	}
}

// caughtUp is the first second, after the reference has got going, at which the last 30 s had 90 % of its work.
func caughtUp(series, ref []float64) float64 {
	const span = 30
	own, other := 0.0, 0.0
	for t, v := range series {
		own, other = own+v, other+ref[t]
		if t >= span {
			own, other = own-series[t-span], other-ref[t-span]
		}
		if t >= span && own >= 0.9*other {
			return float64(t)
		}
	}
	return math.Inf(1)
}

func find(rows []Row, story, who string) *Row {
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Scenario.Name == story && r.Contender == who })
	if i < 0 {
		return nil
	}
	return &rows[i]
}

// spread is the mean and the worst of a measure over the seeds; worst is the highest where less is better.
func spread(scores []Score, measure func(*Score) float64, lessIsBetter bool) (mean, worst float64) {
	worst = math.Inf(1)
	if lessIsBetter {
		worst = math.Inf(-1)
	}
	for i := range scores {
		v := measure(&scores[i])
		mean += v / float64(len(scores))
		if lessIsBetter {
			worst = max(worst, v)
		} else {
			worst = min(worst, v)
		}
	}
	return mean, worst
}

// share is each seed's measure over the reference's.
func share(r, ref *Row, measure func(*Score) float64) []float64 {
	list := make([]float64, len(r.Scores))
	for i := range list {
		list[i] = measure(&r.Scores[i]) / max(1e-9, measure(&ref.Scores[i]))
	}
	return list
}

func mean(list []float64) (sum float64) {
	for _, v := range list {
		sum += v
	}
	return sum / float64(len(list))
}
