package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ropeline/ropeline/core/payment/fakepay"
	"github.com/ropeline/ropeline/deploy/bench/figures"
)

// The storm of notices: each of rate a second is a copy of an earlier one, overtakes the
// one before it, or is signed by somebody else, with these chances.
const (
	noticeRate  = 500
	duplicates  = 0.30
	reordered   = 0.30
	forged      = 0.05
	noticeConns = 64
)

type mail struct {
	body   []byte
	secret string
	forged bool
}

// webhookBench sends notices about payments whose answers were lost to a bookingd that
// runs as a process, and measures how soon each is on disk and acknowledged.
func webhookBench(ctx context.Context, s *server, out *figures.Figures) error {
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
	all, payments, err := s.mailbag(ctx, t, noticeRate*s.seconds)
	if err != nil {
		return err
	}
	latencies, accepted, err := post(ctx, "http://"+t.address+"/webhooks/fakepay", all)
	if err != nil {
		return err
	}
	err = within(ctx, 2*time.Minute, "the notices are read", func() (bool, error) {
		var open int
		err := s.owner.QueryRow(ctx, `SELECT (SELECT count(*) FROM orders WHERE state <> 'captured') + (SELECT count(*) FROM webhook_inbox WHERE state <> 'done')`).Scan(&open)
		return open == 0, err
	})
	if err != nil {
		return err
	}
	slices.Sort(latencies)
	p99 := latencies[len(latencies)*99/100]
	out.Note("%d notices about %d payments at %d/s: p50 %s, p99 %s; all orders captured", len(all), payments, noticeRate, latencies[len(latencies)/2].Round(100*time.Microsecond), p99.Round(100*time.Microsecond))
	out.Value("webhooks.ack_p99_ms", float64(p99)/float64(time.Millisecond))
	out.Value("webhooks.forged_accepted", float64(accepted))
	return s.sound(ctx)
}

// mailbag makes orders that wait for an answer, and the notices about them.
func (s *server) mailbag(ctx context.Context, t *till, n int) (all []mail, payments int, err error) {
	client, err := t.client()
	if err != nil {
		return nil, 0, err
	}
	e, err := shopFor(s.db, client) // its loops do not run: nothing is sent
	if err != nil {
		return nil, 0, err
	}
	payments = n * 45 / 100
	var mu sync.Mutex
	var references []string
	var sold atomic.Int32
	// No attempt is anybody's to send: each is as if sent, and its answer lost.
	if err := s.exec(ctx, `CREATE FUNCTION bench_sent() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
		NEW.phase := 'sent'; NEW.sent_at := now(); NEW.next_at := now() + interval '1 hour'; RETURN NEW; END $$`); err != nil {
		return nil, 0, err
	}
	if err := s.exec(ctx, `CREATE TRIGGER bench_sent BEFORE INSERT ON attempt FOR EACH ROW EXECUTE FUNCTION bench_sent()`); err != nil {
		return nil, 0, err
	}
	err = crowd(64, func() bool { return int(sold.Load()) >= payments }, func(seat int32) error {
		if int(sold.Add(1)) > payments {
			return nil
		}
		r, err := buy(ctx, e, "hall", seat)
		mu.Lock()
		defer mu.Unlock()
		references = append(references, r)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	for i, r := range references {
		p := fakepay.Payment{ID: fmt.Sprintf("pay_%d", i), Reference: r, Amount: 2500, Currency: "EUR", Authorized: 2500, Status: "authorized"}
		for _, typ := range []string{"authorized", "captured"} {
			if typ == "captured" {
				p.Captured, p.Status = 2500, typ
			}
			b, err := json.Marshal(map[string]any{"id": fmt.Sprintf("evt_%d_%s", i, typ), "type": "payment." + typ, "payment": p})
			if err != nil {
				return nil, 0, err
			}
			m := mail{body: b, secret: webhookSecret}
			all = append(all, m)
			if rand.Float64() < duplicates {
				all = append(all, m)
			}
			if rand.Float64() < forged {
				all = append(all, mail{b, "somebody else's", true})
			}
		}
	}
	for i := 1; i < len(all); i++ {
		if j := i - 1 - rand.IntN(min(i, 20)); rand.Float64() < reordered {
			all[i], all[j] = all[j], all[i]
		}
	}
	return all, len(references), nil
}

// post sends them at their rate, whatever the answers do; latency counts from when a
// notice was due.
func post(ctx context.Context, url string, all []mail) (latencies []time.Duration, forgedAccepted int, err error) {
	client := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: noticeConns, MaxConnsPerHost: noticeConns}}
	defer client.CloseIdleConnections()
	var mu sync.Mutex
	var wg sync.WaitGroup
	begin := time.Now()
	for i, m := range all {
		due := begin.Add(time.Duration(i) * time.Second / noticeRate)
		time.Sleep(time.Until(due))
		wg.Go(func() {
			req, e := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(m.body))
			var status int
			if e == nil {
				req.Header.Set("Content-Type", "application/json")
				req.Header.Set(fakepay.SignatureHeader, fakepay.Sign(m.secret, time.Now(), m.body))
				var res *http.Response
				if res, e = client.Do(req); e == nil {
					_, _ = io.Copy(io.Discard, res.Body)
					_ = res.Body.Close()
					status = res.StatusCode
				}
			}
			took := time.Since(due)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case m.forged && status/100 == 2:
				forgedAccepted++
			case m.forged:
			case e != nil || status/100 != 2:
				if err == nil {
					err = fmt.Errorf("a good notice was answered %d: %v", status, e)
				}
			default:
				latencies = append(latencies, took)
			}
		})
	}
	wg.Wait()
	return latencies, forgedAccepted, err
}
