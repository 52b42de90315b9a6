package booking

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/payment"
	"github.com/ropeline/ropeline/core/problem"
)

// MaxWebhook bounds a webhook's body; it is checked before anything is computed
// over it.
const MaxWebhook = 256 << 10

const (
	maxWebhookID = 255 // of a provider's event; an index entry has a limit
	inboxBatch   = 128
	inboxWorkers = 128 // which wait for one another's batch
	inboxLease   = 10 * time.Second
	poisonTries  = 5 // then a row is put aside, and the others flow
)

// unmatchedAfter are the pauses before a webhook about a payment we do not know is
// looked at again; the last one repeats.
var unmatchedAfter = []time.Duration{time.Second, 5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour}

// What a webhook can be refused for.
var (
	ErrNoProvider = problem.New(http.StatusNotFound, "not_found", "There is no such payment provider.")
	ErrSignature  = problem.New(http.StatusBadRequest, "invalid_signature", "The signature or its time stamp does not verify.")
	ErrTooLarge   = problem.New(http.StatusRequestEntityTooLarge, "too_large", "A webhook is at most 256 KiB.")
)

// ReceiveWebhook verifies a notice and stores it. nil means it is on disk and may
// be answered with 2xx; what it says is looked at afterwards. A body that cannot be
// read is stored too, as long as its signature is good: the provider has said it
// and will not say it again.
func (e *Engine) ReceiveWebhook(ctx context.Context, provider string, h http.Header, body []byte) error {
	p := e.providers[provider]
	if p == nil {
		return ErrNoProvider
	}
	if len(body) > MaxWebhook {
		return ErrTooLarge
	}
	n, err := p.ParseWebhook(h, body, time.Now())
	if errors.Is(err, payment.ErrSignature) {
		e.money.webhooks.WithLabelValues("refused").Inc()
		return ErrSignature.Because(err)
	}
	id := n.ID
	if id == "" || len(id) > maxWebhookID || !storable(id) {
		// The provider has signed it: it is kept under the hash of its body, and what cannot
		// be read of it is found out afterwards.
		sum := sha256.Sum256(body)
		id = "sha256:" + hex.EncodeToString(sum[:])
	}
	if err := e.letterbox.put(&delivery{provider: provider, id: id, body: body}); err != nil {
		return err
	}
	e.money.webhooks.WithLabelValues("stored").Inc()
	return nil
}

// letter is a stored webhook.
type letter struct {
	provider, id string
	body         []byte
	tries        int
}

// readInbox processes stored webhooks that are due, several at a time.
func (e *Engine) readInbox(ctx context.Context) (again bool, err error) {
	var list []letter
	err = e.db.InTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		rows, err := tx.Query(ctx, sqlClaimWebhooks, inboxBatch, inboxLease.Seconds())
		if err != nil {
			return fmt.Errorf("claim webhooks: %w", err)
		}
		list, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (l letter, err error) {
			return l, r.Scan(&l.provider, &l.id, &l.body, &l.tries)
		})
		return err
	})
	if err != nil {
		return false, fmt.Errorf("claim webhooks: %w", err)
	}
	c := newCrew(inboxWorkers)
	for _, l := range list {
		c.slots <- struct{}{}
		c.wg.Go(func() {
			defer func() { <-c.slots }()
			e.open(ctx, l)
		})
	}
	c.wg.Wait()
	return len(list) == inboxBatch, nil
}

// open processes one webhook and writes down what became of it.
func (e *Engine) open(ctx context.Context, l letter) {
	err := e.processGuarded(ctx, l)
	if err == nil || ctx.Err() != nil {
		return
	}
	switch {
	case errors.Is(err, problem.Busy), errors.Is(err, problem.OutcomeUnknown):
		err = e.shelve(ctx, l, "new", time.Second, "")
	case errors.Is(err, errUnmatched):
		wait := unmatchedAfter[min(l.tries, len(unmatchedAfter)-1)]
		if l.tries >= len(unmatchedAfter) {
			e.log.Error("a webhook matches no payment of ours", "provider", l.provider, "webhook", l.id)
		}
		err = e.shelve(ctx, l, "unmatched", wait, err.Error())
	case l.tries+1 >= poisonTries:
		e.log.Error("a webhook is put aside", "provider", l.provider, "webhook", l.id, "err", err)
		err = e.shelve(ctx, l, "quarantined", 0, err.Error())
	default:
		err = e.shelve(ctx, l, "new", payment.RetryDelay(l.tries-2, 0.5), err.Error())
	}
	if err != nil {
		e.log.Warn("a webhook's state was not written; it is looked at again", "webhook", l.id, "err", err)
	}
}

var errUnmatched = errors.New("no payment of ours has this reference")

// processGuarded: a webhook is what strangers send. Whatever it does to us, the
// next one must flow.
func (e *Engine) processGuarded(ctx context.Context, l letter) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	p := e.providers[l.provider]
	if p == nil {
		return fmt.Errorf("provider %q is not configured", l.provider)
	}
	n, err := p.ReadNotice(l.body)
	if err != nil {
		return err
	}
	c, err := e.matching(ctx, l.provider, n.Report)
	if errors.Is(err, pgx.ErrNoRows) {
		return errUnmatched
	}
	if err != nil {
		return fmt.Errorf("find the webhook's payment: %w", err)
	}
	err = e.inDossierWith(ctx, c.order, func(d *dossier) error {
		a := d.attempt(c.attempt)
		if a == nil {
			return errUnmatched
		}
		return d.learn(a, n.Report)
	}, &l)
	if err == nil {
		e.kick(&e.kicks.payments)
		e.kick(&e.kicks.refunds)
	}
	return err
}

// matching finds the payment a notice is about: by our reference, or, where it has none,
// by the provider's own id.
func (e *Engine) matching(ctx context.Context, provider string, r payment.Report) (c claimed, err error) {
	if r.Reference == "" && r.PaymentRef != "" {
		err := e.db.Pool.QueryRow(ctx, sqlAttemptByPayment, provider, r.PaymentRef).Scan(&c.order.event, &c.order.id, &c.attempt)
		return c, err
	}
	ref, err := ParseRef(r.Reference)
	if err != nil {
		return c, errUnmatched
	}
	c = claimed{order: orderKey{event: ref.Event}, attempt: ref.ID}
	return c, e.db.Pool.QueryRow(ctx, sqlOrderOfAttempt, ref.Event, ref.ID, provider).Scan(&c.order.id)
}

func (e *Engine) shelve(ctx context.Context, l letter, state string, wait time.Duration, why string) error {
	return e.db.InTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, sqlShelveWebhook, l.provider, l.id, state, wait.Seconds(), text(why))
		return err
	})
}
