package booking

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/payment"
)

// The tables of orders and attempts, stated a second time as what may be seen from
// outside: a change that no row explains is a violation, and a row that no walk reaches
// shows that the walks look away.

// snapshot is what the rows look at, of each order.
type snapshot []orderSnap

type orderSnap struct {
	state    order.State
	reason   string
	disputed bool
	alive    bool
	event    string
	current  int // attempt
	tries    []attemptSnap
	reserved int // refunds
	open     int // of them not done
	live     int // tickets
	words    int // journals
}

type attemptSnap struct {
	state payment.State
	phase payment.Phase
	facts payment.Facts
	want  payment.Want
	watch bool
}

func (w *world) snap() snapshot {
	s := make(snapshot, len(w.orders))
	for i, m := range w.orders {
		o := orderSnap{state: m.d.order.State, reason: m.d.order.Reason, disputed: m.d.order.Disputed, alive: m.stock.Alive(), event: w.ev.State,
			current: -1, reserved: len(m.d.refunds), words: len(m.seen)}
		for k, a := range m.d.attempts {
			if a.ID == m.d.order.Current {
				o.current = k
			}
			o.tries = append(o.tries, attemptSnap{payment.StateOf(a.Phase, a.Facts, a.Want), a.Phase, a.Facts, a.Want, a.WatchUntil != nil})
		}
		for _, r := range m.d.refunds {
			if !r.Done {
				o.open++
			}
		}
		for b := m.live; b > 0; b &= b - 1 {
			o.live++
		}
		s[i] = o
	}
	return s
}

// change is one order before and after a move.
type change struct {
	name    string // of the move, without the attempt's number
	was, is orderSnap
	k       int // the attempt whose decision or facts changed; -1: none
}

func (c change) a() (was, is attemptSnap) {
	if c.k < 0 {
		return attemptSnap{}, attemptSnap{}
	}
	if c.k < len(c.was.tries) {
		was = c.was.tries[c.k]
	}
	return was, c.is.tries[c.k]
}

func (c change) decided(w payment.Want) bool {
	was, is := c.a()
	return c.k >= 0 && was.want == payment.Undecided && is.want == w && is.facts.Money()
}

func (c change) isCurrent() bool { return c.k >= 0 && c.k == c.was.current }

// orderRow_ is a row of the order's table.
type tableRow struct {
	name     string
	from, to []order.State
	when     func(c change) bool
}

var (
	waitingStates = []order.State{order.Pending, order.Verifying}
	openStates    = []order.State{order.Pending, order.Verifying, order.Expired}
	paidStates    = []order.State{order.Captured, order.PartlyRefunded}
	overStates    = []order.State{order.Cancelled, order.Refunded, order.ExpiredRefunded}
	one           = func(s order.State) []order.State { return []order.State{s} }
)

var orderTable = []tableRow{
	{"pay", one(order.Pending), one(order.Verifying), func(c change) bool {
		return c.name == "pay" && c.was.alive && c.is.tries[len(c.is.tries)-1].state == payment.StateCreated
	}},
	{"the hold is not alive", one(order.Pending), one(order.Expired), func(c change) bool { return !c.is.alive && c.k < 0 }},
	{"cancelled by the buyer", waitingStates, one(order.Cancelled), func(c change) bool { return c.name == "cancel" && c.allGivenBack() }},
	{"cancelled with the event", waitingStates, one(order.Cancelled), func(c change) bool { return c.name == "event job" && c.allGivenBack() }},
	{"the hold is released", waitingStates, one(order.Cancelled), func(c change) bool { return c.name == "released" && c.allGivenBack() }},
	{"declined", one(order.Verifying), waitingOrExpired, func(c change) bool {
		_, is := c.a()
		return c.isCurrent() && is.state == payment.StateDeclined
	}},
	{"abandoned", one(order.Verifying), waitingOrExpired, func(c change) bool { return c.name == "not there for long" }},
	{"never sent", one(order.Verifying), waitingOrExpired, func(c change) bool {
		return c.name == "sender's turn" && c.is.tries[c.was.current].state == payment.StateAbandoned
	}},
	{"kept, authorized", openStates, one(order.Confirmed), func(c change) bool {
		_, is := c.a()
		return c.decided(payment.Keep) && c.is.event == "on_sale" && is.facts.Captured == 0 && c.is.live > 0 && c.othersGivenBack()
	}},
	{"kept, captured", openStates, append(paidStates, order.Refunded), func(c change) bool {
		_, is := c.a()
		return c.decided(payment.Keep) && c.is.event == "on_sale" && is.facts.Captured > 0 && c.othersGivenBack()
	}},
	{"given back: the hold is gone", waitingStates, []order.State{order.Expired, order.ExpiredRefunded}, func(c change) bool {
		return c.decided(payment.GiveBack) && c.isCurrent() && !c.is.alive
	}},
	{"given back: the event is off", openStates, one(order.Cancelled), func(c change) bool {
		return c.decided(payment.GiveBack) && c.isCurrent() && c.is.event != "on_sale"
	}},
	{"voided before we saw it", openStates, one(order.Cancelled), func(c change) bool {
		_, is := c.a()
		return c.decided(payment.GiveBack) && is.state == payment.StateVoided
	}},
	{"returned before we saw it", openStates, one(order.Refunded), func(c change) bool {
		_, is := c.a()
		return c.decided(payment.GiveBack) && is.state == payment.StateRefunded
	}},
	{"captured", one(order.Confirmed), append(paidStates, order.Refunded), func(c change) bool {
		was, is := c.a()
		return was.want == payment.Keep && was.facts.Captured == 0 && is.facts.Captured > 0
	}},
	{"confirmed, cancelled by the buyer", one(order.Confirmed), one(order.Cancelled), func(c change) bool { return c.name == "cancel" && c.allGivenBack() && c.is.live == 0 }},
	{"confirmed, cancelled with the event", one(order.Confirmed), one(order.Cancelled), func(c change) bool { return c.name == "event job" && c.allGivenBack() && c.is.live == 0 }},
	{"capture refused", one(order.Confirmed), one(order.Cancelled), func(c change) bool {
		_, is := c.a()
		return c.name != "capture, answer lost" && is.want == payment.GiveBack && c.is.live == 0 && c.is.reason == "capture_failed" && is.state != payment.StateAuthorized
	}},
	{"refunded in part", paidStates, one(order.PartlyRefunded), func(c change) bool {
		was, is := c.a()
		return is.facts.Refunded > was.facts.Refunded && (c.was.open > 0 || c.is.live == c.was.live || c.is.reserved > c.was.reserved && is.facts.Refunded-was.facts.Refunded == int64(c.was.live)*exploreAmount)
	}},
	{"refunded", paidStates, one(order.Refunded), func(c change) bool {
		was, is := c.a()
		return is.facts.Refunded > was.facts.Refunded && c.is.live == 0
	}},
	{"dispute lost", paidStates, one(order.Refunded), func(c change) bool {
		_, is := c.a()
		return is.facts.Dispute == payment.DisputeLost && c.is.live == 0 && c.is.reason == "chargeback"
	}},
	{"late money fully returned", one(order.Expired), one(order.ExpiredRefunded), func(c change) bool {
		return !slices.ContainsFunc(c.is.tries, func(a attemptSnap) bool { return a.facts.Captured > 0 && !a.facts.Returned() })
	}},
}

var waitingOrExpired = []order.State{order.Pending, order.Expired}

// quietTable are the rows that leave the order where it is.
var quietTable = []tableRow{
	{"verifying outlives its hold", one(order.Verifying), nil, func(c change) bool { return c.name == "hold ends" }},
	{"given back, not the current one", openStates, nil, func(c change) bool { return c.decided(payment.GiveBack) && !c.isCurrent() }},
	{"money after the end", overStates, nil, func(c change) bool {
		_, is := c.a()
		return c.k >= 0 && is.want == payment.GiveBack && is.facts.Money()
	}},
	{"capture unknown", one(order.Confirmed), nil, func(c change) bool { return c.name == "capture, answer lost" }},
	{"refund reserved", paidStates, nil, func(c change) bool { return c.is.reserved > c.was.reserved && c.is.live < c.was.live }},
	{"dispute opened", paidStates, nil, func(c change) bool { return !c.was.disputed && c.is.disputed }},
	{"dispute won", paidStates, nil, func(c change) bool { return c.was.disputed && !c.is.disputed }},
	{"told again", []order.State{order.Confirmed, order.Captured}, nil, func(c change) bool { return c.name == "told again" && c.was.words == c.is.words }},
}

func (c change) allGivenBack() bool {
	for k, a := range c.is.tries {
		if a.want != payment.GiveBack || k < len(c.was.tries) && c.was.tries[k].state == payment.StateCreated && a.state != payment.StateAbandoned {
			return false
		}
	}
	return true
}

func (c change) othersGivenBack() bool {
	for k, a := range c.is.tries {
		if k != c.k && a.want != payment.GiveBack {
			return false
		}
	}
	return true
}

// attemptTable says where an attempt may go from each state, and which of the ways
// every walk of all contracts together must have gone.
var attemptTable = map[payment.State]string{
	payment.StateCreated:        "sent abandoned",
	payment.StateSent:           "unknown authorized captured declined voiding voided refunding refunded partly_refunded?",
	payment.StateUnknown:        "abandoned authorized captured declined voiding voided refunding refunded partly_refunded?",
	payment.StateDeclined:       "authorized captured voiding voided refunding refunded partly_refunded?",
	payment.StateAbandoned:      "authorized? captured? declined voiding voided refunding refunded partly_refunded?",
	payment.StateAuthorized:     "captured voiding voided refunding? refunded partly_refunded?",
	payment.StateVoiding:        "voided refunding refunded",
	payment.StateVoided:         "",
	payment.StateCaptured:       "refunded partly_refunded? refunding?",
	payment.StatePartlyRefunded: "refunded",
	payment.StateRefunding:      "refunded",
	payment.StateRefunded:       "",
}

// coverage counts the rows that were reached.
type coverage struct {
	mu    sync.Mutex
	order map[string]int
	tries map[string]int
}

func newCoverage() *coverage { return &coverage{order: map[string]int{}, tries: map[string]int{}} }

func (c *coverage) add(o *coverage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, n := range o.order {
		c.order[k] += n
	}
	for k, n := range o.tries {
		c.tries[k] += n
	}
}

// judge finds the rows for what a move changed.
func (c *coverage) judge(before, after snapshot, mv move) error {
	name := strings.TrimRight(mv.name, " 0123456789")
	for i := range after {
		x := change{name: name, was: before[i], is: after[i], k: -1}
		if mv.of != i && before[i].state == after[i].state {
			continue
		}
		for k, a := range after[i].tries {
			if k < len(before[i].tries) && (a.facts != before[i].tries[k].facts || a.want != before[i].tries[k].want) && (x.k < 0 || a.facts != before[i].tries[k].facts) {
				x.k = k
			}
			if err := c.judgeAttempt(before[i], k, a); err != nil {
				return fmt.Errorf("%s: %w", mv.name, err)
			}
		}
		for _, row := range quietTable {
			if x.was.state == x.is.state && slices.Contains(row.from, x.was.state) && row.when(x) {
				c.order[row.name]++
			}
		}
		if x.was.state == x.is.state {
			continue
		}
		explained := false
		for _, row := range orderTable {
			if slices.Contains(row.from, x.was.state) && slices.Contains(row.to, x.is.state) && row.when(x) {
				c.order[row.name]++
				explained = true
			}
		}
		if !explained {
			return fmt.Errorf("no row of the table leads from %s to %s by %q: %+v", x.was.state, x.is.state, mv.name, x.is)
		}
	}
	return nil
}

func (c *coverage) judgeAttempt(before orderSnap, k int, a attemptSnap) error {
	from := payment.StateCreated
	if k < len(before.tries) {
		from = before.tries[k].state
	}
	if from == a.state {
		return nil
	}
	for _, to := range strings.Fields(attemptTable[from]) {
		if strings.TrimSuffix(to, "?") == string(a.state) {
			c.tries[string(from)+" to "+strings.TrimSuffix(to, "?")]++
			return nil
		}
	}
	return fmt.Errorf("no row of the table leads an attempt from %s to %s", from, a.state)
}

// missing are the rows nothing has reached.
func (c *coverage) missing() (rows []string) {
	for _, table := range [][]tableRow{orderTable, quietTable} {
		for _, row := range table {
			if c.order[row.name] == 0 {
				rows = append(rows, "order: "+row.name)
			}
		}
	}
	for from, to := range attemptTable {
		for _, w := range strings.Fields(to) {
			if !strings.HasSuffix(w, "?") && c.tries[string(from)+" to "+w] == 0 {
				rows = append(rows, "attempt: "+string(from)+" to "+w)
			}
		}
	}
	sort.Strings(rows)
	return rows
}

func isOf(row string, words []string) bool {
	return slices.ContainsFunc(words, func(s string) bool { return strings.Contains(row, s) })
}

// mustBeComplete but for rows with these words, which the walk cannot reach.
func (c *coverage) mustBeComplete(t *testing.T, but ...string) {
	t.Helper()
	for _, row := range c.missing() {
		if isOf(row, but) {
			continue
		}
		t.Errorf("no walk reached the row %q", row)
	}
}
