package kills

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

// quietWatch is longer than the loops' slowest poll but the half-minutely and rarer ones, which start with the process.
const quietWatch = 6 * time.Second

// operation is what a buyer asks for, and what there is once it is done.
type operation struct {
	name    string
	prepare func(*buyer)
	request func(*buyer) request
	settled func(*buyer) bool // nothing of it is left to do
	once    func(*buyer)      // fails the test unless there is exactly one effect
}

var operations = []operation{
	{"hold", func(*buyer) {}, (*buyer).wantHold, func(*buyer) bool { return true }, (*buyer).heldOnce},
	{"order", (*buyer).holds, (*buyer).wantOrder, func(*buyer) bool { return true }, (*buyer).orderedOnce},
	{"pay", (*buyer).orders, (*buyer).wantPay, func(b *buyer) bool { return b.state() == "captured" }, func(b *buyer) { b.chargedOnce(0) }},
	{"refund of a line", (*buyer).pays, func(b *buyer) request {
		return request{http.MethodPost, "/v1/orders/" + b.order + "/refunds", map[string]any{"lines": []int{1}}}
	}, (*buyer).refunded, func(b *buyer) { b.chargedOnce(price) }},
	{"cancel of a paid order", (*buyer).pays, func(b *buyer) request {
		return request{http.MethodDelete, "/v1/orders/" + b.order, nil}
	}, (*buyer).refunded, func(b *buyer) { b.chargedOnce(price) }},
	{"cancel of a waiting order", (*buyer).orders, func(b *buyer) request {
		return request{http.MethodDelete, "/v1/orders/" + b.order, nil}
	}, func(b *buyer) bool { return b.state() == "cancelled" }, (*buyer).freeAgain},
}

// FB1, FB2: killed before every BEGIN and every statement, before and after every COMMIT.
func TestKilledAtEveryStatement(t *testing.T) {
	for _, group := range [][]operation{operations[:3], operations[3:]} {
		t.Run(group[0].name+" and so on", func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			// What a process says by itself, from its start, is the loops' own, of which no operation is made. There was
			// a sale before, so that they say also what they say only then.
			w.buyer().pays()
			w.child.Kill()
			w.tap.forget()
			w.start()
			time.Sleep(quietWatch)
			t.Logf("%d statements of the loops are not counted", w.tap.learned())
			for _, op := range group { // once in peace: how its transactions begin is known from then on
				b := w.buyer()
				op.prepare(b)
				b.must(op.request(b), uuid.NewString())
				w.until(op.name+" ends", func() bool { return op.settled(b) })
			}
			for _, op := range group {
				w.killedEverywhere(op)
			}
			w.judged()
		})
	}
}

func (w *world) killedEverywhere(op operation) {
	w.t.Helper()
	began, between, unbegun := time.Now(), 0, 0
	for n := 1; ; n++ {
		b := w.buyer()
		op.prepare(b)
		what, key := op.request(b), uuid.NewString()
		s := w.tap.shootAt(n, w.child.Kill)
		status, answer, err := b.send(what, key)
		acked := err == nil && status/100 == 2
		if err == nil && !acked {
			w.t.Fatalf("%s, kill %d: %d: %s", op.name, n, status, answer)
		}
		w.until(op.name+" ends, or the moment comes", func() bool { return s.hit() || acked && op.settled(b) })
		killed := w.tap.lower(s)
		if killed {
			<-s.dead
			if b.order != "" && b.unheard() {
				between++
			}
			if strings.HasPrefix(s.at, beforeBegin) {
				unbegun++
			}
			w.start()
		}
		again := b.must(what, key)
		if acked && !bytes.Equal(again, answer) {
			w.t.Errorf("%s, killed %s: the answer was\n%s\nand is now\n%s", op.name, s.at, answer, again)
		}
		if third := b.must(what, key); !bytes.Equal(third, again) {
			w.t.Errorf("%s, killed %s: two answers to one key:\n%s\n%s", op.name, s.at, again, third)
		}
		switch op.name {
		case "hold":
			b.hold = idOf(w.t, again)
		case "order":
			b.order = idOf(w.t, again)
		}
		w.leasesOver()
		w.until(op.name+", killed "+s.at+", is settled by the next process", func() bool { return op.settled(b) })
		op.once(b)
		if !killed {
			if n < 6 {
				w.t.Errorf("%s: only %d moments were counted: the tap does not see its statements", op.name, n-1)
			}
			if unbegun == 0 {
				w.t.Errorf("%s: never killed before a transaction was begun", op.name)
			}
			if op.name == "pay" && between == 0 {
				w.t.Error("pay: never killed between the provider's yes and its record")
			}
			w.t.Logf("%s: %d kills, %d of them before a BEGIN, %d after the provider acted and before that was written down, %s", op.name, n-1, unbegun, between, time.Since(began).Round(time.Millisecond))
			return
		}
	}
}

// unheard: the provider has done something that the database does not know of.
func (b *buyer) unheard() bool {
	for _, p := range b.payments() {
		if one[int](b.w, `SELECT count(*) FROM attempt WHERE order_id = $1::uuid AND authorized = $2 AND captured = $3 AND refunded = $4`,
			b.uuidOf(), p.Authorized, p.Captured, p.Refunded) == 0 {
			return true
		}
	}
	return false
}

func (b *buyer) refunded() bool {
	s := b.state()
	return (s == "refunded" || s == "cancelled") && one[int](b.w, `SELECT count(*) FROM refund WHERE order_id = $1::uuid AND state = 'reserved'`, b.uuidOf()) == 0
}

func (b *buyer) want(what string, got, want int) {
	b.w.t.Helper()
	if got != want {
		b.w.t.Errorf("seat %d: %d %s, want %d", b.seat, got, what, want)
	}
}

// B1, B3: the hold that was acknowledged is there, and no other.
func (b *buyer) heldOnce() {
	b.w.t.Helper()
	b.want("holds of the seat, ever", one[int](b.w, `SELECT count(DISTINCT hold_id) FROM hold_line WHERE seat_id = $1`, b.seat), 1)
	b.want("active holds of this id", one[int](b.w, `SELECT count(*) FROM hold WHERE id = $1::uuid AND state = 1`, b.hold), 1)
}

func (b *buyer) orderedOnce() {
	b.w.t.Helper()
	b.want("orders of the hold", one[int](b.w, `SELECT count(*) FROM orders WHERE hold_id = $1::uuid`, b.hold), 1)
	b.want("waiting orders of this id", one[int](b.w, `SELECT count(*) FROM orders WHERE id = $1::uuid AND state = 'pending_payment'`, b.uuidOf()), 1)
}

// P1: one attempt, one payment at the provider, with exactly this given back.
func (b *buyer) chargedOnce(back int64) {
	b.w.t.Helper()
	b.want("attempts", one[int](b.w, `SELECT count(*) FROM attempt WHERE order_id = $1::uuid`, b.uuidOf()), 1)
	list := b.payments()
	if len(list) != 1 || list[0].Captured != price || list[0].Refunded != back {
		b.w.t.Errorf("seat %d: the provider has %+v, want one payment with %d captured and %d given back", b.seat, list, price, back)
	}
	if back > 0 {
		b.want("refunds", one[int](b.w, `SELECT count(*) FROM refund WHERE order_id = $1::uuid`, b.uuidOf()), 1)
	}
}

func (b *buyer) freeAgain() {
	b.w.t.Helper()
	b.want("live lines of the seat", one[int](b.w, `SELECT count(*) FROM hold_line WHERE seat_id = $1 AND state <> 0`, b.seat), 0)
	b.want("payments", len(b.payments()), 0)
}
