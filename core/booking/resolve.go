package booking

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/payment"
	"github.com/ropeline/ropeline/core/problem"
)

const (
	// paymentWorkers is how many attempts this process attends at once: each worker
	// is mostly waiting for the provider.
	paymentWorkers = 512

	// paymentLease is how long a claimed attempt is left alone by the others. It is
	// longer than a call with its two transactions; if its worker dies, somebody
	// looks again after it, and reads from the rows what is missing. Should the worker
	// be slow and alive, both act on the same rows under the same lock, and a provider
	// gets the same key twice.
	paymentLease = payment.CallDeadline + 3*time.Second

	// maxClaim bounds how many attempts one claim takes.
	maxClaim = 128

	// maxSteps bounds what one worker does for one attempt in a row: send, capture,
	// and the odd void.
	maxSteps = 4
)

// kicks wake the loops of payment right after a commit that left them work, so
// that a buyer does not wait for the next poll.
type kicks struct {
	payments, refunds, inbox chan struct{}
}

func newKicks() kicks {
	return kicks{make(chan struct{}, 1), make(chan struct{}, 1), make(chan struct{}, 1)}
}

// kick never blocks: one pending wake-up is as good as many.
func (e *Engine) kick(c *chan struct{}) {
	select {
	case *c <- struct{}{}:
	default:
	}
}

// claimed is an attempt whose turn it is.
type claimed struct {
	order   orderKey
	attempt uuid.UUID
}

// attendPayments claims attempts that are due and sets workers on them. It does
// not wait for the workers: a slow bank must not hold up everybody else.
func (e *Engine) attendPayments(ctx context.Context) (again bool, err error) {
	return e.workers.claim(ctx, e, sqlClaimAttempts, &e.kicks.payments, e.attendOrSoon)
}

// attendWatched asks about payments that were given up and whose day has come.
func (e *Engine) attendWatched(ctx context.Context) (again bool, err error) {
	return e.workers.claim(ctx, e, sqlClaimWatched, &e.kicks.payments, e.attendOrSoon)
}

// call is one request to the provider, decided under the order's locks and made
// after their commit.
type call struct {
	do     payment.Action
	repeat bool // the question found nothing, so the same request goes out again
	a      attemptRow
	caps   payment.Capabilities
	refund refundRow
	behind bool // an older refund of the payment comes first
}

// attendOrSoon gives the claim back early when only a lock was in the way: a buyer
// waits, and the lease is for a worker that died.
func (e *Engine) attendOrSoon(ctx context.Context, c claimed) error {
	err := e.attend(ctx, c)
	if errors.Is(err, problem.Busy) && ctx.Err() == nil {
		if _, soon := e.db.Pool.Exec(ctx, sqlAttemptSoon, c.order.event, c.attempt); soon != nil {
			err = errors.Join(err, soon)
		}
	}
	return err
}

// attend does what is missing for one attempt, step by step, until nothing is or
// until it has to wait.
func (e *Engine) attend(ctx context.Context, c claimed) error {
	next, err := e.prepare(ctx, c, call{})
	for step := 0; step < maxSteps && err == nil && next.do != payment.DoNothing; step++ {
		next, err = e.perform(ctx, c, next)
	}
	return err
}

// prepare decides the next call under the locks and commits what must be on disk
// before it: above all created -> sent.
func (e *Engine) prepare(ctx context.Context, c claimed, was call) (next call, err error) {
	err = e.inDossier(ctx, c.order, func(d *dossier) error {
		next = call{}
		a := d.attempt(c.attempt)
		if a == nil {
			return problem.NotFound
		}
		p := e.providers[a.Provider]
		if p == nil {
			return fmt.Errorf("provider %q of payment %s is not configured", a.Provider, a.ID)
		}
		next.caps = p.Capabilities()
		if next.do, err = d.prepare(a, was, next.caps); err != nil {
			return err
		}
		next.repeat = was.repeat
		next.a = *a
		return nil
	})
	return next, err
}

func (d *dossier) prepare(a *attemptRow, was call, caps payment.Capabilities) (payment.Action, error) {
	do := payment.NextAction(a.Phase, a.Facts, a.Want, 0) // refunds have their own rows and loop
	switch {
	case was.repeat && do == payment.DoAsk:
		return d.repeat(a, caps)
	case do == payment.DoSend:
		if !payment.MaySend(d.waiting(a)) {
			return payment.DoNothing, d.ended(a, "never_sent")
		}
		a.Phase = payment.Sent
		d.places.Extend(hold.PaymentSent)
		sent := d.now
		a.SentAt, a.Silence, a.changed, a.wake = &sent, payment.Silence{Since: sent}, true, paymentLease
	case do == payment.DoNothing && a.WatchUntil != nil && !was.repeat:
		return d.watch(a), nil
	case do != payment.DoAsk && do != payment.DoNothing && !caps.Keys:
		// On disk before the command leaves: whoever finds it next asks first.
		a.Checks++
		a.changed, a.wake = true, paymentLease
	case do == payment.DoAsk && a.Phase == payment.Sent:
		d.becameUnknown(a) // whoever sent it did not live to read the answer
		a.wake = paymentLease
	}
	return do, nil
}

// repeat: the provider does not know the reference. The same request goes out
// again with the same key while the order still waits for it; otherwise this was
// one more "not found".
func (d *dossier) repeat(a *attemptRow, caps payment.Capabilities) (payment.Action, error) {
	if payment.MayRepeat(caps, d.waiting(a)) {
		sent := d.now
		a.SentAt, a.Silence, a.changed, a.wake = &sent, payment.Silence{Since: sent}, true, paymentLease
		return payment.DoSend, nil
	}
	a.Silence = a.Silence.NotFound(d.now)
	a.Checks++
	a.changed = true
	if a.Silence.GiveUp(caps.LongestProcessing) {
		return payment.DoNothing, d.giveUp(a, caps)
	}
	return payment.DoNothing, nil
}

// giveUp ends the waiting for a payment that was sent and that nobody knows. An
// authorization that shows up all the same is in no report, so it is asked about daily
// until none can live any more.
func (d *dossier) giveUp(a *attemptRow, caps payment.Capabilities) error {
	life := caps.AuthorizationLifetime
	if life == 0 {
		life = payment.DefaultLifetime
	}
	until := a.Silence.Since.Add(life)
	a.WatchUntil = &until
	return d.ended(a, "not_found")
}

// watch is one daily question, or the end of them.
func (d *dossier) watch(a *attemptRow) payment.Action {
	a.changed = true
	if !d.now.Before(*a.WatchUntil) {
		a.WatchUntil = nil
		return payment.DoNothing
	}
	return payment.DoAsk
}

func (d *dossier) becameUnknown(a *attemptRow) {
	a.Phase, a.changed = payment.Unknown, true
	d.places.Extend(hold.PaymentUnknown)
	d.note("payment_unknown", a)
}

// perform makes the call, outside any transaction, and records what it brought; what is
// to be done next, if it is at once, is decided with it.
func (e *Engine) perform(ctx context.Context, c claimed, x call) (next call, err error) {
	p := e.providers[x.a.Provider]
	started := time.Now()
	r, callErr := e.request(ctx, p, c, x)
	e.money.observe(string(x.do), callErr, time.Since(started))
	if ctx.Err() != nil {
		if callErr != nil {
			return next, nil // stopping: the claim runs out and the call is unknown, as after a crash
		}
		ctx = context.WithoutCancel(ctx) // stopping with an answer in hand: it is written down first
	}
	if x.do == payment.DoAsk && errors.Is(callErr, payment.ErrNotFound) {
		next, err := e.prepare(ctx, c, call{repeat: true})
		if err != nil || next.do != payment.DoSend {
			return call{}, err
		}
		return next, nil
	}
	owed := true
	err = e.inDossier(ctx, c.order, func(d *dossier) error {
		a := d.attempt(c.attempt)
		if a == nil {
			return problem.NotFound
		}
		next = call{}
		defer func() { owed = len(d.refunds) > 0 }()
		if err := d.record(a, x, r, callErr); err != nil {
			return err
		}
		if payment.NextAction(a.Phase, a.Facts, a.Want, 0) == payment.DoNothing || a.wake > 0 || a.Phase != payment.Answered {
			return nil
		}
		do, err := d.prepare(a, call{}, x.caps)
		if err != nil {
			return err
		}
		a.wake = paymentLease // this worker goes on with it
		next = call{do: do, caps: x.caps, a: *a}
		return nil
	})
	if owed {
		e.kick(&e.kicks.refunds)
	}
	if err != nil {
		next = call{}
	}
	return next, err
}

// request is the one place where a provider is called.
func (e *Engine) request(ctx context.Context, p payment.Provider, c claimed, x call) (r payment.Report, callErr error) {
	if p == nil {
		return payment.Report{}, fmt.Errorf("provider %q is not configured", x.a.Provider)
	}
	if l := e.contracts[x.a.Provider]; l != nil {
		if err := l.Wait(ctx); err != nil {
			return payment.Report{}, fmt.Errorf("the contract's limit: %w", err)
		}
	}
	began := time.Now()
	defer func() { e.calls.end(began, x.do, callErr) }()
	reference := Ref{c.order.event, x.a.ID}.String()
	// A provider without keys is asked before a command goes out again.
	if ask := !x.caps.Keys && x.a.Checks > 1; ask && x.do != payment.DoSend && x.do != payment.DoAsk {
		if r, err := p.Lookup(ctx, reference); err != nil || r.Facts != x.a.Facts {
			return r, err
		}
	}
	switch x.do {
	case payment.DoSend:
		return p.Authorize(ctx, payment.Authorization{
			Reference: reference, Amount: x.a.Amount, Currency: x.a.Currency, CardToken: x.a.CardToken,
		})
	case payment.DoAsk:
		return p.Lookup(ctx, reference)
	case payment.DoCapture:
		return p.Capture(ctx, payment.Command{PaymentRef: x.a.PaymentRef, Key: reference + ":capture", Amount: x.a.Amount})
	case payment.DoVoid:
		return p.Void(ctx, payment.Command{PaymentRef: x.a.PaymentRef, Key: reference + ":void"})
	case payment.DoRefund:
		return p.Refund(ctx, payment.Command{PaymentRef: x.a.PaymentRef, Key: refundKey(x), Amount: x.refund.Amount})
	}
	return payment.Report{}, fmt.Errorf("no such call: %s", x.do)
}

// record takes in what a call brought. An answer, also a refusal, brings facts;
// everything else only means that we know no more than before.
func (d *dossier) record(a *attemptRow, x call, r payment.Report, callErr error) error {
	var no *payment.Refused
	switch {
	case callErr == nil:
		a.Checks, a.changed = 0, true
		if err := d.learn(a, r); err != nil || x.do != payment.DoAsk || !a.Phase.Unresolved() {
			return err
		}
		// It knows the payment and has not decided either.
		a.Checks, a.Silence = x.a.Checks+1, a.Silence.NoAnswer(d.now)
		return nil
	case errors.As(callErr, &no):
		if no.Report != nil {
			if err := d.learn(a, *no.Report); err != nil {
				return err
			}
		}
		d.refusedCall(a, x)
		if x.do == payment.DoCapture && a.Want == payment.Keep && a.Facts.Captured == 0 {
			a.wake = 0
			return d.captureRefused(a)
		}
		return nil
	}
	a.Checks++
	a.changed = true
	switch x.do {
	case payment.DoSend:
		if !a.Facts.Money() && !a.Facts.Declined { // else a webhook was faster
			d.becameUnknown(a)
			a.Checks = 0
		}
	case payment.DoAsk:
		a.Silence = a.Silence.NoAnswer(d.now)
		if a.Phase.Unresolved() {
			d.places.Extend(hold.PaymentChecked)
		}
	default:
		a.wake = payment.RetryDelay(int(a.Checks)-1, rand.Float64())
	}
	return nil
}

// refusedCall makes a command that was refused without settling anything wait
// before it is tried again.
func (d *dossier) refusedCall(a *attemptRow, x call) {
	if payment.NextAction(a.Phase, a.Facts, a.Want, 0) == x.do {
		a.Checks++
		a.changed = true
		a.wake = payment.RetryDelay(int(a.Checks)-1, rand.Float64())
	}
}
