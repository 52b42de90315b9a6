package booking

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/payment"
	"github.com/ropeline/ropeline/core/refund"
)

// The explorer walks every reachable state of one order with two attempts, through
// the decisions the engine really takes, and checks the books at each. It is
// exhaustive and deterministic: a violation is a path anybody can walk again.

const (
	exploreAttempts = 2
	exploreLimit    = 400_000 // states; far more than there are, so reaching it is a failure
	exploreAmount   = 1000
	exploreFee      = 50
)

// modelStock is a hold of one place.
type modelStock struct {
	state  hold.State // of the hold
	taken  bool       // after it ended somebody else took the place
	within bool
}

func (s *modelStock) Alive() bool    { return s.state == hold.Active }
func (s *modelStock) TimedOut() bool { return s.state == hold.Expired }
func (s *modelStock) Retakable() (free, withinLimit bool) {
	return s.state != hold.Sold && !s.taken, s.within
}
func (s *modelStock) Extend(hold.Trigger) bool { return false }
func (s *modelStock) move(from, to hold.State) error {
	if s.state != from {
		return fmt.Errorf("places are %s, not %s", s.state, from)
	}
	s.state = to
	return nil
}
func (s *modelStock) Sell() error           { return s.move(hold.Active, hold.Sold) }
func (s *modelStock) Unsell(...int16) error { return s.move(hold.Sold, hold.Released) }
func (s *modelStock) Sold() []refund.Part {
	if s.state != hold.Sold {
		return nil
	}
	return []refund.Part{{Line: 1, Places: 1, Price: exploreAmount}}
}
func (s *modelStock) Retake() error {
	if s.taken {
		return fmt.Errorf("the place is taken")
	}
	return s.move(hold.Expired, hold.Sold)
}

// Release is also asked of a hold that is over: it is idempotent there.
func (s *modelStock) Release() error {
	if s.state == hold.Active {
		s.state = hold.Released
	}
	return nil
}

// orderModel is one state: our rows, the places, the provider's truth, the books.
type orderModel struct {
	d     dossier
	stock modelStock
	ev    hold.Event
	truth [exploreAttempts]payment.Facts
	books map[string]int64
	seen  map[string]bool // journals
	live  int             // tickets valid
	path  string
}

func (m *orderModel) clone() *orderModel {
	c := *m
	c.d.attempts = make([]*attemptRow, len(m.d.attempts))
	for i, a := range m.d.attempts {
		b := *a
		c.d.attempts[i] = &b
	}
	c.d.refunds = make([]*refundRow, len(m.d.refunds))
	for i, r := range m.d.refunds {
		b := *r
		c.d.refunds[i] = &b
	}
	c.books, c.seen = map[string]int64{}, map[string]bool{}
	for k, v := range m.books {
		c.books[k] = v
	}
	for k := range m.seen {
		c.seen[k] = true
	}
	c.d.ev, c.d.places = &c.ev, &c.stock
	return &c
}

// commit is what write does, on the model.
func (m *orderModel) commit() error {
	for _, j := range m.d.journals {
		if m.seen[j.ID] {
			continue
		}
		m.seen[j.ID] = true
		var sum int64
		for _, p := range j.Postings {
			kind, _, _ := strings.Cut(string(p.Account), ":")
			m.books[kind] += p.Amount.Minor
			sum += p.Amount.Minor
		}
		if sum != 0 {
			return fmt.Errorf("journal %s is off by %d", j.Kind, sum)
		}
	}
	if m.d.revoke {
		m.live = 0
	}
	if m.d.issue {
		m.live++
	}
	m.d.returning = nil
	m.d.journals, m.d.notes, m.d.issue, m.d.revoke, m.d.orderChanged = nil, nil, false, false, false
	for _, a := range m.d.attempts {
		a.changed, a.wake = false, 0
	}
	return nil
}

func (m *orderModel) key() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %v %s %s|", m.d.order.State, m.d.order.Current, m.stock, m.ev.State, m.ev.LatePolicy)
	for i, a := range m.d.attempts {
		fmt.Fprintf(&b, "%s %s %v %v|", a.Phase, a.Want, a.Facts, m.truth[i])
	}
	for _, r := range m.d.refunds {
		fmt.Fprintf(&b, "r%d %v|", r.Amount, r.Done)
	}
	fmt.Fprint(&b, m.books, m.live) // fmt sorts maps
	return b.String()
}

// check is what must hold at every commit.
func (m *orderModel) check() error {
	o, keeps := m.d.order.State, 0
	var captured, confirmed int64
	for i, a := range m.d.attempts {
		if a.Want == payment.Keep {
			keeps++
		}
		if a.Facts.Dispute != payment.DisputeLost {
			captured += a.Facts.Captured - a.Facts.Refunded
		}
		if a.Phase == payment.Created && m.truth[i] != (payment.Facts{}) {
			return fmt.Errorf("money moved for an attempt that was never sent")
		}
	}
	if o == order.Confirmed {
		confirmed = exploreAmount
	}
	sold := m.stock.state == hold.Sold
	reserved := slices.ContainsFunc(m.d.refunds, func(r *refundRow) bool { return !r.Done })
	switch {
	case keeps > 1:
		return fmt.Errorf("two attempts are kept")
	case sold != o.Sold() && !(reserved && o.Sold()):
		return fmt.Errorf("order %s, places %s", o, m.stock.state)
	case sold != (m.live == 1):
		return fmt.Errorf("places %s, %d live tickets", m.stock.state, m.live)
	case m.books["receivable"] != confirmed:
		return fmt.Errorf("receivable %d, confirmed %d", m.books["receivable"], confirmed)
	case m.books["clearing"]+m.books["dispute"] != captured:
		return fmt.Errorf("clearing %d, dispute %d, captured %d", m.books["clearing"], m.books["dispute"], captured)
	case m.books["refunds_due"] > 0:
		return fmt.Errorf("buyers owe us %d", m.books["refunds_due"])
	}
	return nil
}

// atRest is what must hold where nothing is left to do: no limbo.
func (m *orderModel) atRest() error {
	for i, a := range m.d.attempts {
		f := m.truth[i]
		switch {
		case !f.Money() || f.Returned():
		case a.Want == payment.Keep && f.Captured == exploreAmount && m.stock.state == hold.Sold:
		case f.Dispute == payment.DisputeOpen:
		default:
			return fmt.Errorf("attempt %d rests with %+v, want %s, order %s", i, f, a.Want, m.d.order.State)
		}
	}
	if m.books["receivable"] != 0 || (m.books["refunds_due"] != 0 && m.books["dispute"] == 0) {
		return fmt.Errorf("at rest receivable is %d, refunds due %d", m.books["receivable"], m.books["refunds_due"])
	}
	return nil
}

// move is one thing that may happen. restless moves are ours to make: a state with
// one enabled is not at rest.
type move struct {
	name     string
	restless bool
	do       func(m *orderModel) error
}

func TestExploreOneOrder(t *testing.T) {
	for _, oneStep := range []bool{false, true} {
		for _, policy := range []string{"refund", "retake"} {
			t.Run(fmt.Sprintf("one_step=%v/%s", oneStep, policy), func(t *testing.T) {
				n := explore(t, oneStep, policy)
				t.Logf("%d states", n)
				if n < 1000 {
					t.Fatalf("only %d states: the walk does not reach what it is for", n)
				}
			})
		}
	}
}

func explore(t *testing.T, oneStep bool, policy string) int {
	start := &orderModel{stock: modelStock{state: hold.Active, within: true}, books: map[string]int64{}, seen: map[string]bool{},
		ev: hold.Event{ID: 1, State: "on_sale", LatePolicy: policy, Organiser: "o", Currency: "EUR"}}
	start.d = dossier{ev: &start.ev, places: &start.stock, order: orderRow{
		ID: uuid.UUID{1}, AccountID: 1, State: order.Pending, Amount: exploreAmount, Currency: "EUR", Fee: exploreFee,
	}}
	seen, queue := map[string]bool{start.key(): true}, []*orderModel{start}
	for len(queue) > 0 {
		m := queue[0]
		queue = queue[1:]
		rest := true
		for _, mv := range m.moves(oneStep) {
			next := m.clone()
			next.path += " > " + mv.name
			if err := mv.do(next); err != nil {
				t.Fatalf("%s: %v", next.path, err)
			}
			if err := next.commit(); err != nil {
				t.Fatalf("%s: %v", next.path, err)
			}
			k := next.key()
			rest = rest && (!mv.restless || k == m.key())
			if seen[k] {
				continue
			}
			seen[k] = true
			if err := next.check(); err != nil {
				t.Fatalf("%s: %v\n%s", next.path, err, k)
			}
			queue = append(queue, next)
		}
		if rest {
			if err := m.atRest(); err != nil {
				t.Fatalf("%s: %v\n%s", m.path, err, m.key())
			}
		}
		if len(seen) > exploreLimit {
			t.Fatalf("more than %d states", exploreLimit)
		}
	}
	return len(seen)
}
