package stripe

import (
	"context"
	"iter"
	"strings"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	"github.com/ropeline/ropeline/core/payment"
)

// settlementDelay is how long a movement may take to be among the balance transactions.
const settlementDelay = time.Hour

// Contract is what was agreed.
func (c *Client) Contract() payment.Contract {
	return payment.Contract{FeeBP: c.conf.FeeBP, Delay: settlementDelay}
}

// Settlement reads the balance transactions of a time.
func (c *Client) Settlement(ctx context.Context, from, until time.Time) iter.Seq2[payment.Movement, error] {
	return func(yield func(payment.Movement, error) bool) {
		p := &sdk.BalanceTransactionListParams{Expand: []*string{sdk.String("data.source")},
			CreatedRange: &sdk.RangeQueryParams{GreaterThanOrEqual: from.Unix(), LesserThan: until.Unix()}}
		p.Limit = sdk.Int64(100)
		for b, err := range c.api.V1BalanceTransactions.List(ctx, p).All(ctx) {
			if err != nil {
				yield(payment.Movement{}, err)
				return
			}
			if m, ours := movement(b); ours && !yield(m, nil) {
				return
			}
		}
	}
}

// movement reads one row; ours: it is about a payment or a payout.
func movement(b *sdk.BalanceTransaction) (m payment.Movement, ours bool) {
	m = payment.Movement{ID: b.ID, Amount: max(b.Amount, -b.Amount), Fee: b.Fee, Currency: strings.ToUpper(string(b.Currency)), At: time.Unix(b.Created, 0).UTC()}
	of := func(c *sdk.Charge) {
		if c == nil {
			return
		}
		m.Reference = c.Metadata[referenceKey]
		if c.PaymentIntent != nil {
			m.PaymentRef = c.PaymentIntent.ID
		}
	}
	s := b.Source
	switch b.Type {
	case sdk.BalanceTransactionTypeCharge, sdk.BalanceTransactionTypePayment:
		m.Kind = payment.MoveCapture
		if s != nil {
			of(s.Charge)
		}
	case sdk.BalanceTransactionTypeRefund, sdk.BalanceTransactionTypePaymentRefund:
		m.Kind = payment.MoveRefund
		if s != nil && s.Refund != nil {
			of(s.Refund.Charge)
			if s.Refund.PaymentIntent != nil {
				m.PaymentRef = s.Refund.PaymentIntent.ID
			}
		}
	case sdk.BalanceTransactionTypeAdjustment:
		if s == nil || s.Dispute == nil {
			return m, false
		}
		if m.Kind = payment.MoveDispute; b.Amount > 0 {
			m.Kind = payment.MoveDisputeWon
		}
		of(s.Dispute.Charge)
		if s.Dispute.PaymentIntent != nil {
			m.PaymentRef = s.Dispute.PaymentIntent.ID
		}
	case sdk.BalanceTransactionTypePayout:
		m.Kind = payment.MovePayout
	default:
		return m, false
	}
	return m, true
}
