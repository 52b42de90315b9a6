package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/ropeline/ropeline/core/payment/fakepay"
	"github.com/ropeline/ropeline/deploy/bench/figures"
)

const (
	chaosBuyers = 192
	killEvery   = 2500 * time.Millisecond
	settleLimit = 4 * time.Minute
)

// chaosBench sells while the provider loses one answer in five, doubles one notice in
// twenty, and the process that sends, asks and captures is killed every few seconds. Then
// the provider recovers, and every payment must end, once.
func chaosBench(ctx context.Context, s *server, out *figures.Figures) error {
	if _, err := s.openHall(ctx, "hall"); err != nil {
		return err
	}
	t, err := openTill(ctx, s)
	if t != nil {
		defer t.close()
	}
	if err != nil {
		return err
	}
	var faults []fakepay.Fault
	for _, kind := range []string{fakepay.FaultDrop, fakepay.FaultReset, fakepay.Fault500After, fakepay.FaultHalf} {
		faults = append(faults, fakepay.Fault{Op: "authorize", Kind: kind, Probability: 0.055}) // tried one after the other: 20 % in all
	}
	faults = append(faults, fakepay.Fault{Op: "capture", Kind: fakepay.FaultDrop, Probability: 0.05})
	if err := t.control(ctx, fakepay.Control{Faults: faults, Webhooks: fakepay.WebhookControl{Duplicate: 1, DuplicateChance: 0.05}}); err != nil {
		return err
	}
	client, err := t.client()
	if err != nil {
		return err
	}
	e, err := shopFor(s.db, client) // takes orders; the other process works on them
	if err != nil {
		return err
	}
	var sold atomic.Int64
	done := make(chan error, 1)
	go func() {
		done <- crowd(chaosBuyers, func() bool { return sold.Load() >= int64(s.payments) || ctx.Err() != nil }, func(seat int32) error {
			if sold.Add(1) > int64(s.payments) {
				return nil
			}
			_, err := buy(ctx, e, "hall", seat)
			return err
		})
	}()
	kills := 0
	for selling := true; selling; {
		select {
		case err := <-done:
			if err != nil {
				return err
			}
			selling = false
			t.child.Kill() // with whatever it has under way
			kills++
			if err := t.start(ctx); err != nil {
				return err
			}
		case <-time.After(killEvery):
			if kills++; kills%4 == 0 { // an orderly end, with payments running, is no better
				if err := t.child.Stop(); err != nil {
					return err
				}
			} else {
				t.child.Kill()
			}
			if err := t.start(ctx); err != nil {
				return err
			}
		}
	}
	var unknown int
	if err := s.owner.QueryRow(ctx, `SELECT count(*) FROM attempt WHERE phase IN ('created', 'sent', 'unknown')`).Scan(&unknown); err != nil {
		return err
	}
	if err := t.control(ctx, fakepay.Control{}); err != nil {
		return err
	}
	p99, err := s.settled(ctx)
	if err != nil {
		return err
	}
	double, orphaned, err := s.compare(ctx, t)
	if err != nil {
		return err
	}
	out.Note("%d payments, %d kills of bookingd, %d open when the provider recovered", min(sold.Load(), int64(s.payments)), kills, unknown)
	out.Value("payments.double_charged", float64(double))
	out.Value("payments.orphaned", float64(orphaned))
	out.Value("payments.unknown_resolved_p99_s", p99.Seconds())
	return s.sound(ctx)
}

func (t *till) control(ctx context.Context, c fakepay.Control) error {
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.bankURL+"/control", bytes.NewReader(b))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("fakepay refused its faults: %s", res.Status)
	}
	return nil
}

// settled waits until nothing is open, and tells when all but one in a hundred of what was
// open at the beginning had ended.
func (s *server) settled(ctx context.Context) (p99 time.Duration, err error) {
	begin := time.Now()
	left := -1
	var ends []time.Duration
	err = within(ctx, settleLimit, "everything is settled", func() (bool, error) {
		var open, rest int
		err := s.owner.QueryRow(ctx, `SELECT count(*) FILTER (WHERE phase IN ('created', 'sent', 'unknown')),
			count(*) FILTER (WHERE phase = 'answered' AND authorized > 0 AND captured = 0 AND NOT voided) + (SELECT count(*) FROM webhook_inbox WHERE state = 'new')
			FROM attempt`).Scan(&open, &rest)
		for ; left > open; left-- {
			ends = append(ends, time.Since(begin))
		}
		left = open
		return open+rest == 0, err
	})
	if err != nil || len(ends) == 0 {
		return 0, err
	}
	slices.Sort(ends)
	return ends[min(len(ends)-1, len(ends)*99/100)], nil
}

// compare holds the provider's own list against orders and tickets.
func (s *server) compare(ctx context.Context, t *till) (double, orphaned int, err error) {
	orderOf, sold := map[string]string{}, map[string]bool{}
	rows, err := s.owner.Query(ctx, `SELECT a.event_id || '-' || a.id, o.id::text, o.state = 'captured' AND EXISTS (SELECT FROM ticket k
		WHERE k.event_id = o.event_id AND k.order_id = o.id AND k.revoked_at IS NULL)
		FROM attempt a JOIN orders o ON o.event_id = a.event_id AND o.id = a.order_id`)
	if err != nil {
		return 0, 0, err
	}
	for rows.Next() {
		var reference, order string
		var has bool
		if err := rows.Scan(&reference, &order, &has); err != nil {
			return 0, 0, err
		}
		orderOf[reference], sold[order] = order, has
	}
	if err := rows.Err(); err != nil {
		return 0, 0, err
	}
	charged := map[string]int{}
	for after, more := "", true; more; {
		res, err := http.Get(t.bankURL + "/v1/payments?after=" + after)
		if err != nil {
			return 0, 0, err
		}
		var page struct {
			Payments []fakepay.Payment
			HasMore  bool `json:"has_more"`
		}
		err = json.NewDecoder(res.Body).Decode(&page)
		_ = res.Body.Close()
		if err != nil {
			return 0, 0, err
		}
		for _, p := range page.Payments {
			after = p.ID
			if p.Declined || p.Voided || p.Captured > 0 && p.Captured == p.Refunded {
				continue
			}
			order := orderOf[p.Reference]
			if charged[order]++; charged[order] == 2 || p.Captured > 2500 {
				double++
			}
			if order == "" || !sold[order] || p.Captured == 0 {
				orphaned++
			}
		}
		more = page.HasMore
	}
	for order, has := range sold { // and the other way: no ticket without money
		if has && charged[order] == 0 {
			orphaned++
		}
	}
	return double, orphaned, nil
}
