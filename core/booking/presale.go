package booking

import (
	"context"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/hold"
)

// RedeemRequest redeems a presale code.
type RedeemRequest struct {
	Code    string
	Network string // the prefix of the caller's address: tries are counted for it too
}

// PresaleView is a presale that is open to an account from StartsAt on.
type PresaleView struct {
	Event    string `json:"event"`
	Name     string `json:"name"`
	StartsAt Stamp  `json:"starts_at"`
	EndsAt   *Stamp `json:"ends_at"` // nil: until the event is on sale to everybody
}

// Redeem opens a presale to the account. The answer, 200, is a PresaleView. The tries
// are counted in a transaction of their own, since a refusal leaves no trace.
func (e *Engine) Redeem(ctx context.Context, cmd Command, r RedeemRequest) (Answer, error) {
	if err := cmd.check(); err != nil {
		return Answer{}, err
	}
	subjects := []string{fmt.Sprintf("account %d", cmd.AccountID)}
	if r.Network != "" {
		subjects = append(subjects, "network "+r.Network)
	}
	if err := e.patiently(ctx, func(ctx context.Context, tx pgx.Tx) error { return hold.CountTry(ctx, tx, subjects...) }); err != nil {
		return Answer{}, err
	}
	a, err := e.once(ctx, cmd, nil, func(ctx context.Context, tx pgx.Tx, ev *hold.Event) (int, any, error) {
		p, err := hold.Redeem(ctx, tx, ev.ID, cmd.AccountID, r.Code)
		if err != nil {
			return 0, nil, err
		}
		return http.StatusOK, viewPresale(ev.Slug, p), nil
	})
	if err == nil {
		err := e.patiently(ctx, func(ctx context.Context, tx pgx.Tx) error { return hold.ForgiveTry(ctx, tx, subjects...) })
		if err != nil {
			e.log.Warn("a good code counts as a try", "err", err)
		}
	}
	return a, err
}

func viewPresale(slug string, p hold.Presale) PresaleView {
	v := PresaleView{Event: slug, Name: p.Name, StartsAt: Stamp(p.StartsAt)}
	if p.EndsAt != nil {
		end := Stamp(*p.EndsAt)
		v.EndsAt = &end
	}
	return v
}

// MintCodes makes n codes for a presale of an event, each good for so many accounts.
func (e *Engine) MintCodes(ctx context.Context, slug, presale string, n, uses int) (codes []string, err error) {
	id, err := e.EventID(ctx, slug)
	if err != nil {
		return nil, err
	}
	err = e.db.InTx(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
		codes, err = hold.MintCodes(ctx, tx, id, presale, n, uses)
		return err
	})
	return codes, err
}
