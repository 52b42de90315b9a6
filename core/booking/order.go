package booking

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/money"
	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/outbox"
	"github.com/ropeline/ropeline/core/problem"
)

// MaxAttempts bounds how often one order may be tried with another card. Card
// testers like endless tries.
const MaxAttempts = 5

// OrderRequest turns a hold into an order.
type OrderRequest struct {
	Hold uuid.UUID `json:"hold"`
}

// ErrFree: nothing to pay is not a payment of zero; giving places away has rules
// of its own.
var ErrFree = problem.New(http.StatusUnprocessableEntity, "nothing_to_pay", "These places cost nothing and cannot be ordered here.")

// PlaceOrder makes the order of a hold: 201 and the order. A hold has one order;
// asked again, with whatever key, the same one comes back with 200.
func (e *Engine) PlaceOrder(ctx context.Context, cmd Command, req OrderRequest) (Answer, error) {
	m := &matter{place: req.Hold, command: &command{status: http.StatusCreated}}
	if req.Hold != uuid.Nil {
		if a, alone, err := e.inDocket(ctx, cmd, nil, m); !alone {
			return a, err
		}
	}
	return m.afterLoss(e.placeOrderAlone(ctx, cmd, req))
}

func (e *Engine) placeOrderAlone(ctx context.Context, cmd Command, req OrderRequest) (Answer, error) {
	return e.once(ctx, cmd, nil, func(ctx context.Context, tx pgx.Tx, ev *hold.Event) (int, any, error) {
		w, h, err := hold.LockHold(ctx, tx, ev, req.Hold)
		if err != nil {
			return 0, nil, err
		}
		if h.AccountID != cmd.AccountID {
			return 0, nil, problem.NotFound.Say("You have no such hold.")
		}
		status := http.StatusCreated
		k := orderKey{event: ev.ID}
		err = tx.QueryRow(ctx, sqlOrderOfHold, ev.ID, h.ID).Scan(&k.id)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			k.id = uuid.New()
			err = insertOrder(ctx, tx, &dossier{ev: ev, now: w.Now, places: &heldPlaces{w, h}}, k, h)
		case err == nil:
			status = http.StatusOK
		}
		if err != nil {
			return 0, nil, err
		}
		view, err := e.orderView(ctx, tx, k, cmd.AccountID, w.Now)
		return status, view, err
	})
}

func insertOrder(ctx context.Context, tx pgx.Tx, d *dossier, k orderKey, h *hold.Hold) error {
	if err := d.placeOrder(k, h); err != nil {
		return err
	}
	o := &d.order
	if _, err := tx.Exec(ctx, sqlInsertOrder, d.ev.ID, o.ID, o.AccountID, o.HoldID, o.State, o.Amount, o.Currency, o.Fee, d.now); err != nil {
		return fmt.Errorf("insert order: %w", err)
	}
	return outbox.Append(ctx, tx, d.outboxRow())
}

// placeOrder makes the order of a hold, in memory.
func (d *dossier) placeOrder(k orderKey, h *hold.Hold) error {
	if !d.onSale() {
		return d.notOnSale()
	}
	if !d.places.Alive() {
		return overOf(h.StateAt(d.now))
	}
	if h.Amount == 0 {
		return ErrFree
	}
	fee, err := money.Of(h.Amount, h.Currency).BasisPoints(d.ev.FeeBP)
	if err != nil {
		return fmt.Errorf("fee: %w", err)
	}
	t, _ := order.Next(order.None, order.Place)
	d.order = orderRow{
		ID: k.id, AccountID: h.AccountID, HoldID: h.ID, State: t.Next,
		Amount: h.Amount, Currency: string(h.Currency), Fee: fee.Minor, Version: 1,
	}
	return nil
}

func (d *dossier) notOnSale() error {
	if err := d.ev.OnSale(d.now); err != nil {
		return err
	}
	return hold.ErrNotOnSale
}

// overOf names why a hold is no longer there.
func overOf(s hold.State) error {
	switch s {
	case hold.Released:
		return hold.ErrReleased
	case hold.Sold:
		return hold.ErrHoldSold
	}
	return hold.ErrHoldExpired
}

// OrderView shows an order to its owner.
func (e *Engine) OrderView(ctx context.Context, account int64, r Ref) (OrderView, error) {
	return e.orderView(ctx, e.db.Pool, orderKey{r.Event, r.ID}, account, noTime)
}
