package booking

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/problem"
)

// Why payments are off, as buyers may see it.
const (
	OffUnknown = "money_unknown"  // the provider has money that nobody here knows
	OffAmounts = "amounts_differ" // amounts or currencies do not agree
	OffStaff   = "by_staff"
)

// ErrPaymentsOff: no new payment is taken. Those under way go on, and nothing that was
// sold is touched.
var ErrPaymentsOff = &problem.Error{Status: http.StatusServiceUnavailable, Code: "payments_off", RetryAfter: time.Minute,
	Detail: "We are not taking payments at this moment, because our records have to be checked first. Nothing was charged. Your places stay yours until your time runs out."}

// PaymentSwitch says whether a provider takes new payments.
type PaymentSwitch struct {
	Provider string
	On       bool
	Reason   string
	Why      string
	By       string
	At       time.Time // zero: it was never touched
}

func paymentSwitch(ctx context.Context, q pg.Querier, provider string) (PaymentSwitch, error) {
	s := PaymentSwitch{Provider: provider, On: true}
	err := q.QueryRow(ctx, sqlSwitch, provider).Scan(&s.On, &s.Reason, &s.Why, &s.By, &s.At)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return s, fmt.Errorf("read the switch of payments: %w", err)
	}
	return s, nil
}

// paymentsOn refuses while the provider's switch is off.
func paymentsOn(ctx context.Context, q pg.Querier, provider string) error {
	s, err := paymentSwitch(ctx, q, provider)
	if err == nil && !s.On {
		err = ErrPaymentsOff.With("reason", s.Reason).With("since", Stamp(s.At))
	}
	return err
}

// Payments shows the switch of every provider that has one, and of those named.
func (e *Engine) Payments(ctx context.Context, providers ...string) ([]PaymentSwitch, error) {
	rows, err := e.db.Pool.Query(ctx, sqlSwitches)
	if err != nil {
		return nil, fmt.Errorf("read the switches of payments: %w", err)
	}
	known, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("read the switches of payments: %w", err)
	}
	seen := map[string]bool{}
	var list []PaymentSwitch
	for _, p := range append(known, providers...) {
		if seen[p] {
			continue
		}
		seen[p] = true
		s, err := paymentSwitch(ctx, e.db.Pool, p)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// SwitchPayments is a person's decision. On again, the breaks that were open before do
// not switch off a second time: the person has seen them.
func (e *Engine) SwitchPayments(ctx context.Context, provider string, on bool, by, why string) error {
	if why == "" || len(why) > maxWhy || !storable(why) {
		return ErrWhy
	}
	reason := OffStaff
	if on {
		reason = ""
	}
	err := e.db.InTx(ctx, func(ctx context.Context, tx pgx.Tx) error { return throwSwitch(ctx, tx, provider, on, reason, why, by) })
	if err == nil {
		e.log.Warn("new payments", "provider", provider, "on", on, "by", by, "why", why)
	}
	return err
}

func throwSwitch(ctx context.Context, tx pgx.Tx, provider string, on bool, reason, why, by string) error {
	if _, err := tx.Exec(ctx, sqlThrowSwitch, provider, on, reason, text(why), by); err != nil {
		return fmt.Errorf("switch payments: %w", err)
	}
	return nil
}

// offIfUnsafe switches new payments off when a break that stops them was found after
// the last time a person switched them on.
func offIfUnsafe(ctx context.Context, tx pgx.Tx, provider string) (off bool, err error) {
	now, err := paymentSwitch(ctx, tx, provider)
	if err != nil || !now.On {
		return false, err
	}
	var n int
	var class BreakClass
	var detail string
	err = tx.QueryRow(ctx, sqlUnsafe, provider, now.At).Scan(&n, &class, &detail)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for unsafe breaks: %w", err)
	}
	reason := OffAmounts
	if class == BreakMissingHere {
		reason = OffUnknown
	}
	return true, throwSwitch(ctx, tx, provider, false, reason, fmt.Sprintf("%d breaks, the first is %s: %s", n, class, detail), "reconcile")
}

const (
	sqlSwitch      = `SELECT on_, reason, why, actor, at FROM payment_switch WHERE provider = $1 ORDER BY id DESC LIMIT 1`
	sqlSwitches    = `SELECT DISTINCT provider FROM payment_switch ORDER BY 1`
	sqlThrowSwitch = `INSERT INTO payment_switch (provider, on_, reason, why, actor) VALUES ($1, $2, $3, $4, $5)`

	sqlUnsafe = `
SELECT count(*) OVER (), class, detail FROM money_break
 WHERE provider = $1 AND state = 'open' AND stops AND found_at > $2 ORDER BY id LIMIT 1`
)
