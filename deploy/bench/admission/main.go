package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/ropeline/ropeline/admission/pace/sim"
)

// options are what a run of the benchmark is told.
type options struct {
	seeds   []uint64
	stories []sim.Scenario
	who     []sim.Contender
}

func main() {
	o, err := parse(os.Args[1:])
	if err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "admission:", err)
		}
		os.Exit(2)
	}
	report(os.Stdout, o)
}

func parse(args []string) (o options, err error) {
	f := flag.NewFlagSet("admission", flag.ContinueOnError)
	seeds := f.String("seeds", os.Getenv("SEEDS"), "seeds to judge on, comma-separated; default: the ten named in the code")
	only := f.String("only", "", "scenarios, comma-separated; default: all")
	against := f.String("against", "all", "all, or few: only the controller and the oracle it is measured by")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if o.seeds, err = readSeeds(*seeds); err != nil {
		return o, err
	}
	if o.stories, err = choose(*only); err != nil {
		return o, err
	}
	switch *against {
	case "all":
		o.who = sim.Contenders()
	case "few":
		o.who = slices.DeleteFunc(sim.Contenders(), func(c sim.Contender) bool { return c.Name != sim.Ours && c.Name != sim.Reference })
	default:
		return o, fmt.Errorf("-against %q: write all or few", *against)
	}
	return o, nil
}

func readSeeds(list string) ([]uint64, error) {
	if list == "" {
		return sim.JudgingSeeds, nil
	}
	var seeds []uint64
	for word := range strings.SplitSeq(list, ",") {
		n, err := strconv.ParseUint(strings.TrimSpace(word), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("SEEDS: %q is no seed: write whole numbers with commas between", word)
		}
		if slices.Contains(sim.TuningSeeds, n) {
			return nil, fmt.Errorf("SEEDS: %d was used for tuning and cannot judge: take another", n)
		}
		seeds = append(seeds, n)
	}
	return seeds, nil
}

func choose(list string) ([]sim.Scenario, error) {
	all := sim.Scenarios()
	if list == "" {
		return all, nil
	}
	var chosen []sim.Scenario
	for word := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(all, func(s sim.Scenario) bool { return s.Name == word })
		if i < 0 {
			names := make([]string, len(all))
			for k := range all {
				names[k] = all[k].Name
			}
			return nil, fmt.Errorf("-only: there is no scenario %q; there are %s", word, strings.Join(names, ", "))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

func report(w io.Writer, o options) {
	fmt.Fprintf(w, "seeds %v; buyers and work as shares of the %s oracle's, mean and worst seed\n", o.seeds, sim.Reference)
	var rows []sim.Row
	for i := range o.stories { // one at a time, so that a run that is cut short has printed what it played
		played := sim.Contest(o.stories[i:i+1], o.who, o.seeds)
		sim.Print(w, played)
		rows = append(rows, played...)
	}
	fmt.Fprintln(w)
	for _, r := range rows {
		if r.Contender == sim.Ours {
			work, over := r.Against(rows)
			fmt.Fprintf(w, "BENCH admission.%s.work %.4f over=%.4f n=%d\n", r.Scenario.Name, work, over, len(o.seeds))
		}
	}
	for _, f := range sim.Figures(rows) {
		verdict := "met"
		if !f.Met() {
			verdict = fmt.Sprintf("MISSED by %.4g", max(f.Goal-f.Value, f.Value-f.Goal))
		}
		fmt.Fprintf(w, "BENCH admission.%s %.4g goal=%.4g n=%d %s\n", f.Name, f.Value, f.Goal, len(o.seeds), verdict)
	}
	micros, allocs := sim.Speed()
	fmt.Fprintf(w, "BENCH admission.next_us %.1f goal=200\nBENCH admission.next_allocs %.3g goal=0\n", micros, allocs)
	for _, name := range sim.Better(rows) {
		fmt.Fprintf(w, "# more work than %s, and not 5 points more time over the objective: %s\n", sim.Ours, name)
	}
}
