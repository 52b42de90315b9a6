package booking

import (
	"strconv"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/ledger"
	"github.com/ropeline/ropeline/core/money"
	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/payment"
)

// Each journal books the difference a new fact makes and is named by who, what and
// the cumulative amount: a fact heard twice has the same name and books nothing.

func (d *dossier) post(id, kind string, postings ...ledger.Posting) {
	d.journals = append(d.journals, ledger.Journal{
		EventID: d.ev.ID, ID: id, Kind: kind, OrderID: d.order.ID, At: d.now, Postings: postings,
	})
}

func (d *dossier) amount(minor int64) money.Amount {
	return money.Of(minor, money.Currency(d.order.Currency))
}

func name(a *attemptRow, kind string, cumulative int64) string {
	return a.ID.String() + ":" + kind + ":" + strconv.FormatInt(cumulative, 10)
}

// feeOf is the platform's part of the first so many minor units of the order:
// differences of it sum up exactly, whatever the parts are.
func (d *dossier) feeOf(part int64) int64 {
	if d.order.Amount == 0 || part >= d.order.Amount {
		return d.order.Fee
	}
	split, err := d.amount(d.order.Fee).Split(part, d.order.Amount-part)
	if err != nil {
		return 0 // cannot be: both weights are positive
	}
	return split[0].Minor
}

// earned are the two credits of a sale, or with undo the debits that take the
// part from already to already+part back.
func (d *dossier) earned(already, part int64, undo bool) []ledger.Posting {
	fee := d.feeOf(already+part) - d.feeOf(already)
	to := ledger.Credit
	if undo {
		to = ledger.Debit
	}
	return []ledger.Posting{
		to(ledger.Payable(d.ev.Organiser), d.amount(part-fee)),
		to(ledger.Revenue, d.amount(fee)),
	}
}

func (d *dossier) postConfirm(provider string) {
	d.post(d.order.ID.String()+":confirm", "confirm", append(d.earned(0, d.order.Amount, false),
		ledger.Debit(ledger.Receivable(provider), d.amount(d.order.Amount)))...)
}

func (d *dossier) postReversal(provider string) {
	d.post(d.order.ID.String()+":reversal", "reversal", append(d.earned(0, d.order.Amount, true),
		ledger.Credit(ledger.Receivable(provider), d.amount(d.order.Amount)))...)
}

func (d *dossier) postCapture(a *attemptRow) {
	d.post(name(a, "capture", a.Facts.Captured), "capture",
		ledger.Debit(ledger.Clearing(a.Provider), d.amount(a.Facts.Captured)),
		ledger.Credit(ledger.Receivable(a.Provider), d.amount(a.Facts.Captured)))
}

// postLateMoney: captured money that nobody may keep is owed to the buyer from
// the moment we know of it, and a refund is under way.
func (d *dossier) postLateMoney(a *attemptRow, before int64) {
	more := a.Facts.Captured - before
	if more <= 0 {
		return
	}
	d.post(name(a, "late_money", a.Facts.Captured), "late_money",
		ledger.Debit(ledger.Clearing(a.Provider), d.amount(more)),
		ledger.Credit(ledger.RefundsDue, d.amount(more)))
	d.reserve(a, more, "late_money")
}

func (d *dossier) reserve(a *attemptRow, amount int64, reason string) *refundRow {
	r := &refundRow{ID: uuid.New(), Attempt: a.ID, Amount: amount, Reason: reason, isNew: true}
	d.refunds = append(d.refunds, r)
	a.changed = true
	return r
}

// reservedOf sums the refunds of an attempt, carried out or not.
func (d *dossier) reservedOf(a *attemptRow) (sum int64) {
	for _, r := range d.refunds {
		if r.Attempt == a.ID {
			sum += r.Amount
		}
	}
	return sum
}

// owed is what the provider still has to return.
func (d *dossier) owed(a *attemptRow) int64 { return max(0, d.reservedOf(a)-a.Facts.Refunded) }

// undone is how much of the order's price is no longer sold: what goes back of its
// lines and what is kept of them.
func (d *dossier) undone(a *attemptRow) (sum int64) {
	for _, r := range d.refunds {
		if r.Attempt == a.ID {
			sum += r.Amount + r.Kept
		}
	}
	return sum
}

// keptFees of an attempt's refunds.
func (d *dossier) keptFees(a *attemptRow) int64 { return d.undone(a) - d.reservedOf(a) }

// postReserve: the debt to the organiser becomes a debt to the buyer, but for the fee,
// which stays the organiser's.
func (d *dossier) postReserve(a *attemptRow) {
	last := d.refunds[len(d.refunds)-1]
	value := last.Amount + last.Kept
	d.post(last.ID.String()+":reserved", "refund_reserved", append(d.earned(d.undone(a)-value, value, true),
		ledger.Credit(ledger.FeesKept(d.ev.Organiser), d.amount(last.Kept)),
		ledger.Credit(ledger.RefundsDue, d.amount(last.Amount)))...)
}

// takenBack are the debits for money that left without our asking: from what is still
// sold, and beyond that from the fees that were kept.
func (d *dossier) takenBack(a *attemptRow, amount int64) []ledger.Posting {
	already := d.undone(a)
	sold := min(amount, max(0, d.order.Amount-already))
	return append(d.earned(already, sold, true), ledger.Debit(ledger.FeesKept(d.ev.Organiser), d.amount(amount-sold)))
}

// postReturned books money that left the provider. What we had reserved is paid
// from refunds due. What somebody returned elsewhere is a row of its own, so that
// the rows of an attempt always sum to at least what was returned; it is taken
// from the organiser, and the places go too if it was everything.
func (d *dossier) postReturned(a *attemptRow, before int64) error {
	now := a.Facts.Refunded
	if now <= before {
		return nil
	}
	reserved := d.reservedOf(a)
	asked := min(now, reserved) - min(before, reserved)
	if asked > 0 {
		d.post(name(a, "refunded", now), "refunded",
			ledger.Debit(ledger.RefundsDue, d.amount(asked)),
			ledger.Credit(ledger.Clearing(a.Provider), d.amount(asked)))
	}
	if other := now - before - asked; other > 0 {
		d.post(name(a, "refunded_elsewhere", now), "refunded_elsewhere", append(d.takenBack(a, other),
			ledger.Credit(ledger.Clearing(a.Provider), d.amount(other)))...)
		d.reserve(a, other, reasonElsewhere)
		d.note("break:refund_unknown", a)
		if err := d.placesOf(a, other); err != nil {
			return err
		}
	}
	d.settleRefunds(a)
	if a.Want != payment.Keep {
		return nil
	}
	ev := order.RefundPart
	// With a fee kept, everything is back once the rest of what was promised is.
	if a.Facts.Returned() || d.undone(a) >= d.order.Amount && now >= d.reservedOf(a) {
		ev = order.RefundAll
	}
	_, err := d.happen(ev, a, false)
	return err
}

// placesOf frees the places of a refund made elsewhere if it is exactly what is still
// sold. Any other amount says nothing about which places it means: it is a break, and no
// seat is touched.
func (d *dossier) placesOf(a *attemptRow, amount int64) error {
	var sold int64
	for _, p := range d.places.Sold() {
		sold += p.Value()
	}
	if a.Want != payment.Keep || sold == 0 || sold != amount && !a.Facts.Returned() {
		return nil
	}
	d.revoke, d.returning = true, nil
	return d.places.Unsell()
}

// settleRefunds marks the refunds that the returned amount covers, oldest first.
func (d *dossier) settleRefunds(a *attemptRow) {
	left := a.Facts.Refunded
	for _, r := range d.refunds {
		if r.Attempt != a.ID {
			continue
		}
		left -= r.Amount
		if left >= 0 && !r.Done {
			r.Done, r.changed = true, true
		}
	}
}

// disputed books a chargeback: opened, won, or lost.
func (d *dossier) disputed(a *attemptRow, before payment.Facts) error {
	if a.Facts.Dispute == before.Dispute {
		return nil
	}
	dispute, clearing := ledger.Dispute(a.Provider), ledger.Clearing(a.Provider)
	if before.Dispute == payment.NoDispute {
		a.disputed = a.Facts.Captured - a.Facts.Refunded
		d.post(name(a, "dispute", 1), "dispute_opened",
			ledger.Debit(dispute, d.amount(a.disputed)), ledger.Credit(clearing, d.amount(a.disputed)))
	}
	d.order.Disputed, d.orderChanged = a.Facts.Dispute == payment.DisputeOpen, true
	switch a.Facts.Dispute {
	case payment.DisputeWon:
		d.post(name(a, "dispute", 2), "dispute_won",
			ledger.Debit(clearing, d.amount(a.disputed)), ledger.Credit(dispute, d.amount(a.disputed)))
	case payment.DisputeLost:
		return d.disputeLost(a)
	}
	return nil
}

func (d *dossier) disputeLost(a *attemptRow) error {
	due := min(a.disputed, d.owed(a))
	postings := append(d.takenBack(a, a.disputed-due),
		ledger.Debit(ledger.RefundsDue, d.amount(due)),
		ledger.Credit(ledger.Dispute(a.Provider), d.amount(a.disputed)))
	d.post(name(a, "dispute", 3), "dispute_lost", postings...)
	for _, r := range d.refunds { // the bank has returned it: nothing is left to send
		if r.Attempt == a.ID && !r.Done {
			r.Done, r.changed = true, true
		}
	}
	if a.Want != payment.Keep {
		return nil
	}
	_, err := d.happen(order.DisputeLost, a, false)
	return err
}
