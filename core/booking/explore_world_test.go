package booking

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/payment"
)

const (
	exploreAmount = 1000 // of a place
	exploreFee    = 50
	longestModel  = time.Hour // a request's processing, at the model's provider
)

// world is one state of an exploration: the event, its places, the orders with the
// decisions the engine really takes, and the provider's own truth.
type world struct {
	ev     hold.Event
	hall   hall
	orders []*orderModel
	caps   payment.Capabilities
	tries  int  // attempts an order may have
	full   bool // beyond what can be walked exhaustively: parts returned, everything disputed
	crowd  bool // the buyer takes other places too, and strangers let theirs go
	now    time.Time
	path   []string
}

// orderModel is one order: our rows, what the provider knows, the books.
type orderModel struct {
	d     dossier
	stock *holdModel
	bank  []object // by attempt
	books [6]int64
	seen  []string // journals
	live  uint64   // tickets valid, by line
}

// object is an attempt at the provider.
type object struct {
	truth    payment.Facts
	requests int  // authorizations that left us
	refunds  int  // refunds that left us, and whose end nobody knows yet
	lost     bool // an answer was lost: what is asked next may bring news
}

var accountKinds = []string{"receivable", "clearing", "refunds_due", "dispute", "payable", "revenue"}

const (
	bookReceivable = iota
	bookClearing
	bookDue
	bookDispute
)

func newWorld(caps payment.Capabilities, policy string, seats, limit, tries int) *world {
	w := &world{caps: caps, tries: tries, now: time.Date(2027, 3, 1, 20, 0, 0, 0, time.UTC),
		ev:   hold.Event{ID: 1, State: "on_sale", LatePolicy: policy, Organiser: "o", Currency: "EUR"},
		hall: hall{seats: make([]seatModel, seats), limit: limit}}
	for i := range w.hall.seats {
		w.hall.seats[i].state = 'a'
	}
	return w
}

// place makes an order of a new hold.
func (w *world) place(account int, seats ...int) *orderModel {
	x := w.hall.take(account, seats...)
	if x == nil {
		return nil
	}
	n := int64(len(seats))
	t, _ := order.Next(order.None, order.Place)
	m := &orderModel{stock: x}
	m.d.order = orderRow{ID: uuid.UUID{1, byte(len(w.orders))}, AccountID: int64(account), State: t.Next,
		Amount: n * exploreAmount, Currency: "EUR", Fee: n * exploreFee}
	w.orders = append(w.orders, m)
	w.link(m)
	return m
}

func (w *world) link(m *orderModel) { m.d.ev, m.d.places, m.d.now = &w.ev, m.stock, w.now }

func (w *world) clone() *world {
	c := *w
	c.hall = w.hall.clone()
	for _, x := range c.hall.holds {
		x.hall = &c.hall
	}
	c.path = w.path[:len(w.path):len(w.path)]
	c.orders = make([]*orderModel, len(w.orders))
	for i, m := range w.orders {
		n := *m
		n.stock = c.hall.holds[m.stock.id]
		n.bank = append([]object(nil), m.bank...)
		n.seen = m.seen[:len(m.seen):len(m.seen)]
		n.d.attempts = make([]*attemptRow, len(m.d.attempts))
		for k, a := range m.d.attempts {
			b := *a
			n.d.attempts[k] = &b
		}
		n.d.refunds = make([]*refundRow, len(m.d.refunds))
		for k, r := range m.d.refunds {
			b := *r
			n.d.refunds[k] = &b
		}
		c.orders[i] = &n
	}
	for _, m := range c.orders {
		c.link(m)
	}
	return &c
}

// commit is what write does, on the model.
func (m *orderModel) commit() error {
	for _, j := range m.d.journals {
		if slices.Contains(m.seen, j.ID) {
			continue
		}
		m.seen = append(m.seen, j.ID)
		var sum int64
		for _, p := range j.Postings {
			kind, _, _ := strings.Cut(string(p.Account), ":")
			if i := slices.Index(accountKinds, kind); i >= 0 {
				m.books[i] += p.Amount.Minor
			}
			sum += p.Amount.Minor
		}
		if sum != 0 {
			return fmt.Errorf("journal %s is off by %d", j.Kind, sum)
		}
	}
	if m.d.revoke {
		if m.d.returning == nil {
			m.live = 0
		}
		for _, n := range m.d.returning {
			m.live &^= 1 << (n - 1)
		}
	}
	if m.d.issue {
		for i, l := range m.stock.lines {
			if l.state == hold.LineSold {
				m.live |= 1 << i
			}
		}
	}
	m.d.returning = nil
	m.d.journals, m.d.notes, m.d.issue, m.d.revoke, m.d.orderChanged = nil, nil, false, false, false
	for _, a := range m.d.attempts {
		a.changed, a.wake = false, 0
	}
	for _, r := range m.d.refunds {
		r.isNew, r.changed = false, false
	}
	return nil
}

// key names a state. The clock is not in it: only whether a refund may still be under way.
func (w *world) key() string {
	b := make([]byte, 0, 256)
	num := func(ns ...int64) {
		for _, n := range ns {
			b = binary.AppendVarint(b, n)
		}
	}
	b = append(b, w.ev.State...)
	for _, s := range w.hall.seats {
		num(int64(s.state), int64(s.holder), int64(s.version))
	}
	for _, x := range w.hall.holds {
		num(int64(x.state), bit(x.over))
		for _, l := range x.lines {
			num(int64(l.state), int64(l.version))
		}
	}
	for _, m := range w.orders {
		b = append(append(b, m.d.order.State...), m.d.order.Reason...)
		num(int64(m.d.order.Current[1]), bit(m.d.order.Disputed), int64(m.live))
		num(m.books[:]...)
		for i, a := range m.d.attempts {
			b = append(append(append(b, a.Phase...), a.Want...), a.Facts.Dispute...)
			o := m.bank[i]
			for _, f := range []payment.Facts{a.Facts, o.truth} {
				num(f.Authorized, f.Captured, f.Refunded, bit(f.Declined), bit(f.Voided))
			}
			b = append(b, o.truth.Dispute...)
			num(int64(o.requests), int64(o.refunds), bit(a.WatchUntil != nil), bit(o.lost))
		}
		for _, r := range m.d.refunds {
			num(r.Amount, bit(r.Done), bit(r.SentAt != nil && w.now.Sub(*r.SentAt) < longestModel))
		}
	}
	return string(b)
}

var hashSeed = maphash.MakeSeed()

// hash stands for the key where there are a million of them.
func (w *world) hash() uint64 { return maphash.String(hashSeed, w.key()) }

func bit(on bool) int64 {
	if on {
		return 1
	}
	return 0
}

// check is what must hold at every commit.
func (w *world) check() error {
	if err := w.hall.check(); err != nil {
		return err
	}
	for i, m := range w.orders {
		if err := m.check(w.caps); err != nil {
			return fmt.Errorf("order %d: %w", i, err)
		}
	}
	return nil
}

func (m *orderModel) check(caps payment.Capabilities) error {
	o, keeps, open := m.d.order.State, 0, 0
	var held, confirmed int64
	for i, a := range m.d.attempts {
		if a.Want == payment.Keep {
			keeps++
			if !o.Sold() && o != order.Refunded {
				return fmt.Errorf("attempt %d is kept, the order is %s", i, o)
			}
		}
		if a.Facts.Dispute != payment.DisputeLost {
			held += a.Facts.Captured - a.Facts.Refunded
		}
		if a.Phase.Unresolved() {
			open++
		}
		b := m.bank[i]
		switch {
		case a.Phase == payment.Created && b.truth != (payment.Facts{}):
			return errors.New("money moved for an attempt that was never sent")
		case b.requests > 1 && !caps.Keys:
			return errors.New("a request was repeated at a provider without keys")
		case b.refunds > 1 && !caps.Keys:
			return errors.New("two refunds are under way at a provider without keys")
		}
	}
	if o == order.Confirmed {
		confirmed = m.d.order.Amount
	}
	var live uint64
	for i, l := range m.stock.lines {
		if l.state == hold.LineSold {
			live |= 1 << i
		}
	}
	switch {
	case open > 1:
		return errors.New("two payments are open")
	case keeps > 1:
		return errors.New("two attempts are kept")
	case live != 0 && !o.Sold():
		return fmt.Errorf("the order is %s, its places are sold", o)
	case live == 0 && o.Sold() && len(m.d.refunds) == 0:
		return fmt.Errorf("the order is %s without places", o)
	case live != m.live:
		return fmt.Errorf("lines sold %b, tickets valid %b", live, m.live)
	case m.books[bookReceivable] != confirmed:
		return fmt.Errorf("receivable %d, confirmed %d", m.books[bookReceivable], confirmed)
	case m.books[bookClearing]+m.books[bookDispute] != held:
		return fmt.Errorf("clearing %d, dispute %d, at the provider %d", m.books[bookClearing], m.books[bookDispute], held)
	case m.books[bookDue] > 0:
		return fmt.Errorf("buyers owe us %d", m.books[bookDue])
	}
	return nil
}

// atRest is what must hold where nothing is left to do: no limbo.
func (w *world) atRest() error {
	for n, m := range w.orders {
		kept := 0
		for i, a := range m.d.attempts {
			f := m.bank[i].truth
			if f.Captured > f.Refunded && f.Dispute != payment.DisputeLost && f.Dispute != payment.DisputeOpen {
				kept++
			}
			switch {
			case !f.Money() || f.Returned():
			case a.Want == payment.Keep && f.Captured == m.d.order.Amount && (m.stock.sold() > 0 || f.Refunded > 0):
			case f.Dispute == payment.DisputeOpen:
			default:
				return fmt.Errorf("order %d, %s: attempt %d rests with %+v, want %s", n, m.d.order.State, i, f, a.Want)
			}
			if a.Facts != f && a.Phase != payment.Abandoned && a.WatchUntil == nil {
				return fmt.Errorf("order %d: attempt %d is known as %+v, it is %+v", n, i, a.Facts, f)
			}
		}
		if kept > 1 {
			return fmt.Errorf("order %d: %d attempts rest with money", n, kept)
		}
		if w.ev.State == "cancelled" && (m.d.order.State.Waiting() || m.d.order.State.Sold() && m.stock.sold() > 0) {
			return fmt.Errorf("order %d is %s in a cancelled event", n, m.d.order.State)
		}
		if m.books[bookReceivable] != 0 || m.books[bookDue] != 0 && m.books[bookDispute] == 0 {
			return fmt.Errorf("order %d: at rest receivable is %d, refunds due %d", n, m.books[bookReceivable], m.books[bookDue])
		}
	}
	return nil
}
