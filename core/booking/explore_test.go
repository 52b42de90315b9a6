package booking

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ropeline/ropeline/core/payment"
)

// The explorer walks the reachable states of orders and payments, through the decisions
// the engine really takes, and checks promises, books and tables at each. A violation is
// a path anybody can walk again.

const exploreLimit = 2_000_000 // states; more than there are, so reaching it is a failure

// step makes a move and checks everything.
func (w *world) step(mv move, c *coverage) error {
	w.path = append(w.path, mv.name)
	before := w.snap()
	var m *orderModel
	if mv.of >= 0 {
		m = w.orders[mv.of]
	}
	if err := mv.do(w, m); err != nil {
		return err
	}
	for _, o := range w.orders {
		if err := o.commit(); err != nil {
			return err
		}
	}
	if err := c.judge(before, w.snap(), mv); err != nil {
		return err
	}
	return w.check()
}

// exhaust walks everything that can be reached from a world.
func exhaust(start *world, c *coverage) (states int, err error) {
	seen, queue := map[uint64]bool{start.hash(): true}, []*world{start}
	for len(queue) > 0 {
		w := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		rest, here := true, w.hash()
		for _, mv := range w.moves() {
			next := w.clone()
			if err := next.step(mv, c); err != nil {
				return len(seen), fmt.Errorf("%w\n%s", err, strings.Join(next.path, " > "))
			}
			k := next.hash()
			rest = rest && (!mv.restless || k == here)
			if !seen[k] {
				seen[k] = true
				queue = append(queue, next)
			}
		}
		if rest {
			if err := w.atRest(); err != nil {
				return len(seen), fmt.Errorf("%w\n%s", err, strings.Join(w.path, " > "))
			}
		}
		if len(seen) > exploreLimit {
			return len(seen), fmt.Errorf("more than %d states", exploreLimit)
		}
	}
	return len(seen), nil
}

// exploreSeeds is how many walks of full size every run makes.
const (
	exploreSeeds = 2000
	exploreSteps = 400
	restSteps    = 4000 // of a walk that is only to come to rest; far more than it takes
)

// wander makes one random walk: several buyers, orders of one and two places in a hall
// too small for all of them, any contract. Then it goes on with what is ours to do until
// nothing is left.
func wander(seed uint64, c *coverage) error {
	rnd := rand.New(rand.NewPCG(seed, 28))
	all := contracts()
	w := newWorld(all[rnd.IntN(len(all))], []string{"refund", "retake"}[rnd.IntN(2)], 4, 2+rnd.IntN(2), 3)
	w.full = true
	orders, accounts := 1+rnd.IntN(4), 1+rnd.IntN(3)
	fail := func(err error) error { return fmt.Errorf("seed %d: %w\n%s", seed, err, strings.Join(w.path, " > ")) }
	for range exploreSteps {
		if rnd.IntN(10) == 0 && len(w.orders) < orders {
			first := rnd.IntN(len(w.hall.seats))
			seats := []int{first}
			if next := first + 1; next < len(w.hall.seats) && rnd.IntN(2) == 0 {
				seats = append(seats, next)
			}
			if w.place(1+rnd.IntN(accounts), seats...) != nil {
				w.path = append(w.path, fmt.Sprintf("order %d of %v", len(w.orders)-1, seats))
			}
		}
		moves := w.moves()
		if len(moves) == 0 {
			continue
		}
		mv := moves[rnd.IntN(len(moves))]
		if mv.of < 0 && mv.name != "taken by another" && rnd.IntN(20) > 0 || mv.name == "cancel" && rnd.IntN(10) > 0 {
			continue // these end most of what is worth looking at
		}
		if err := w.step(mv, c); err != nil {
			return fail(err)
		}
	}
	for range restSteps {
		var ours []move
		for _, mv := range w.moves() {
			if mv.restless {
				ours = append(ours, mv)
			}
		}
		if w.rests(ours, c) {
			if err := w.atRest(); err != nil {
				return fail(err)
			}
			return nil
		}
		if err := w.step(ours[rnd.IntN(len(ours))], c); err != nil {
			return fail(err)
		}
	}
	return fail(errors.New("it never comes to rest"))
}

// rests: none of our moves changes anything.
func (w *world) rests(ours []move, c *coverage) bool {
	here := w.key()
	for _, mv := range ours {
		next := w.clone()
		if err := next.step(mv, c); err != nil || next.key() != here {
			return false
		}
	}
	return true
}

// TestExploreFullSize: two thousand walks.
func TestExploreFullSize(t *testing.T) {
	t.Parallel()
	c := newCoverage()
	for seed := range uint64(exploreSeeds) {
		if err := wander(seed, c); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range c.missing() {
		if isOf(row, onlyFullSize) {
			t.Errorf("no walk reached the row %q", row)
		}
	}
}

// onlyFullSize are words of the rows that one order with one place cannot reach.
var onlyFullSize = []string{"refunded in part", "partly_refunded"}

// contracts are the shapes of a provider.
func contracts() (all []payment.Capabilities) {
	for _, two := range []bool{true, false} {
		for _, keys := range []bool{true, false} {
			all = append(all, payment.Capabilities{TwoStep: two, Keys: keys, Lookup: true, Partial: true, LongestProcessing: payment.NotFoundAfter})
		}
	}
	return all
}

// TestExploreOneOrder is exhaustive: one buyer, one order, two attempts, with every
// shape of provider and both policies for late money.
func TestExploreOneOrder(t *testing.T) {
	all := newCoverage()
	for _, caps := range contracts() {
		for _, policy := range []string{"refund", "retake"} {
			t.Run(fmt.Sprintf("two_step=%v,keys=%v,%s", caps.TwoStep, caps.Keys, policy), func(t *testing.T) {
				t.Parallel()
				w, c := newWorld(caps, policy, 1, 1, 2), newCoverage()
				if w.place(1, 0) == nil {
					t.Fatal("no hold")
				}
				n, err := exhaust(w, c)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%d states", n)
				if n < 1000 {
					t.Fatalf("only %d states: the walk does not reach what it is for", n)
				}
				all.add(c)
			})
		}
	}
	t.Cleanup(func() { // after the parallel walks
		if !t.Failed() {
			all.mustBeComplete(t, onlyFullSize...)
		}
	})
}
