package booking

import (
	"context"
	"errors"
	"net/http"
	"unicode"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/payment"
	"github.com/ropeline/ropeline/core/problem"
)

// PayRequest starts a payment. The card itself was typed at the provider; what
// comes here is its token.
type PayRequest struct {
	Order     Ref
	CardToken string
	// ExpectedAmount is what the buyer was shown, in minor units; nil: not said. The
	// amount charged is the order's, whatever a client thinks.
	ExpectedAmount *int64
}

const maxCardToken = 200

// What a payment can be refused for.
var (
	ErrPaymentUnknown = problem.New(http.StatusConflict, "payment_unknown",
		"We do not know yet whether your payment went through. Please wait: you will not be charged twice.")
	ErrPaymentInProgress = problem.New(http.StatusConflict, "payment_in_progress", "A payment for this order is under way.")
	ErrAlreadyPaid       = problem.New(http.StatusConflict, "already_paid", "This order is paid.")
	ErrOrderCancelled    = problem.New(http.StatusConflict, "order_cancelled", "This order was cancelled.")
	ErrTooManyAttempts   = problem.New(http.StatusConflict, "too_many_attempts", "This order was tried with too many cards.")
	ErrPriceChanged      = problem.New(http.StatusConflict, "price_changed", "The amount is not the one you were shown. Nothing was charged.")
	ErrInvalidCardToken  = problem.New(http.StatusUnprocessableEntity, "invalid_card_token", "The card token is missing, too long or no text.")
)

// errCardNumber says neither the number nor a part of it.
var errCardNumber = ErrInvalidCardToken.Say("This is a card number. The card is typed at the payment provider, and only the token that comes from there is sent here. Nothing was stored.")

// minCardDigits of a card number (ISO/IEC 7812 has 13 to 19 in use).
const minCardDigits = 13

// isCardNumber tells whether somebody sent the card itself, which must never be stored
// here: so many digits and no letter, however they are grouped, and with its month and
// code behind it too. The check digit is not asked for: a number with a slip of the
// finger is nearly a card as well, and tokens of providers have letters.
func isCardNumber(text string) bool {
	digits := 0
	for _, r := range text {
		switch {
		case unicode.IsLetter(r):
			return false
		case unicode.IsDigit(r):
			digits++
		}
	}
	return digits >= minCardDigits
}

// Pay writes an attempt and answers 202 with the order. The provider is asked
// after the commit and outside any transaction; the buyer polls the order.
func (e *Engine) Pay(ctx context.Context, cmd Command, req PayRequest) (Answer, error) {
	if req.CardToken == "" || len(req.CardToken) > maxCardToken || !storable(req.CardToken) {
		return Answer{}, ErrInvalidCardToken
	}
	if isCardNumber(req.CardToken) {
		return Answer{}, errCardNumber
	}
	cmd, err := e.at(ctx, cmd, req.Order)
	if err != nil {
		return Answer{}, err
	}
	p := e.provider()
	if p == nil {
		return Answer{}, errors.New("no payment provider is configured")
	}
	k := orderKey{req.Order.Event, req.Order.ID}
	given := e.isRunning() && e.workers.reserve()
	var paid uuid.UUID
	m := &matter{order: k, pays: true, command: &command{status: http.StatusAccepted}, decide: func(d *dossier) error {
		if err := d.pay(cmd.AccountID, req, p.Name()); err != nil {
			return err
		}
		a := d.attempts[len(d.attempts)-1]
		if paid = a.ID; given {
			a.wake = paymentLease // a worker of this process goes on with it at once
		}
		return nil
	}}
	answer, alone, err := e.inDocket(ctx, cmd, []string{req.Order.String()}, m)
	if given && !alone && err == nil {
		e.workers.start(e, claimed{k, paid}, e.attendOrSoon)
	} else if given {
		e.workers.giveUp(e, &e.kicks.payments)
	}
	if alone {
		answer, err = m.afterLoss(e.payAlone(ctx, cmd, req, p.Name()))
	}
	switch {
	case err == nil:
		if !given || alone {
			e.kick(&e.kicks.payments)
		}
	case errors.Is(err, hold.ErrHoldExpired):
		// The refusal left no trace; that the order is over is written on its own.
		if err := e.expireOrder(ctx, k); err != nil {
			e.log.Warn("an order whose hold is over was not expired", "order", k.ref(), "err", err)
		}
	}
	return answer, err
}

func (e *Engine) payAlone(ctx context.Context, cmd Command, req PayRequest, provider string) (Answer, error) {
	k := orderKey{req.Order.Event, req.Order.ID}
	return e.once(ctx, cmd, []string{req.Order.String()}, func(ctx context.Context, tx pgx.Tx, ev *hold.Event) (int, any, error) {
		d, err := openDossier(ctx, tx, ev, k)
		if err != nil {
			return 0, nil, err
		}
		if err := paymentsOn(ctx, tx, provider); err != nil && d.order.AccountID == cmd.AccountID {
			return 0, nil, err
		}
		if err := d.pay(cmd.AccountID, req, provider); err != nil {
			return 0, nil, err
		}
		if err := e.write(ctx, tx, d); err != nil {
			return 0, nil, err
		}
		view, err := e.orderView(ctx, tx, k, cmd.AccountID, d.now)
		return http.StatusAccepted, view, err
	})
}

// pay checks and makes the attempt, `created`: committed before any byte leaves.
func (d *dossier) pay(account int64, req PayRequest, provider string) error {
	if err := d.mayPay(account, req); err != nil {
		return err
	}
	a := &attemptRow{
		ID: uuid.New(), Provider: provider, Phase: payment.Created, Want: payment.Undecided,
		CardToken: req.CardToken, Amount: d.order.Amount, Currency: d.order.Currency, isNew: true,
	}
	d.order.Current = a.ID
	d.order.Attempts++
	d.attempts = append(d.attempts, a)
	if _, err := d.happen(order.Pay, a, false); err != nil {
		return err
	}
	d.order.Reason = ""
	return nil
}

func (d *dossier) mayPay(account int64, req PayRequest) error {
	o := &d.order
	if o.AccountID != account {
		return problem.NotFound.Say("You have no such order.")
	}
	switch {
	case o.State == order.Expired, o.State == order.ExpiredRefunded:
		return hold.ErrHoldExpired
	case o.State == order.Cancelled && o.Reason == reasonReleased:
		return hold.ErrReleased
	case o.State == order.Cancelled:
		return ErrOrderCancelled
	case o.State.Sold(), o.State == order.Refunded:
		return ErrAlreadyPaid
	}
	if a := d.unresolved(); a != nil {
		if a.Phase == payment.Unknown {
			return ErrPaymentUnknown
		}
		return ErrPaymentInProgress
	}
	if !d.places.Alive() {
		return hold.ErrHoldExpired
	}
	if !d.onSale() {
		return d.notOnSale()
	}
	if o.Attempts >= MaxAttempts {
		return ErrTooManyAttempts
	}
	if req.ExpectedAmount != nil && *req.ExpectedAmount != o.Amount {
		return ErrPriceChanged.With("amount", o.Amount).With("currency", o.Currency)
	}
	if o.State != order.Pending {
		return ErrPaymentInProgress
	}
	return nil
}
