package api

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/ropeline/ropeline/core/booking"
)

func (a *API) placeOrder(w http.ResponseWriter, r *http.Request, c *call) error {
	var body struct {
		Hold *string `json:"hold"`
	}
	if err := decode(r, c.body, &body); err != nil {
		return err
	}
	if body.Hold == nil {
		return errInvalidBody.Say("hold: is missing; name the hold to order.").With("field", "hold")
	}
	id, err := holdMember("hold", *body.Hold)
	if err != nil {
		return err
	}
	answer, err := a.booking.PlaceOrder(r.Context(), c.command(chi.URLParam(r, "event")), booking.OrderRequest{Hold: id})
	if err != nil {
		return err
	}
	return a.writeAnswer(w, answer, lease)
}

func (a *API) listOrders(w http.ResponseWriter, r *http.Request, c *call) error {
	list, err := a.booking.Orders(r.Context(), c.account)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]any{"orders": list})
}

func (a *API) getOrder(w http.ResponseWriter, r *http.Request, c *call) error {
	ref, err := booking.ParseRef(chi.URLParam(r, "order"))
	if err != nil {
		return err
	}
	view, err := a.booking.OrderView(r.Context(), c.account, ref)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, view)
}

// payBody is the body of POST payments. The amount charged is the order's; what the
// client was shown may be said, and is refused if it differs.
type payBody struct {
	CardToken      string `json:"card_token"`
	ExpectedAmount *int64 `json:"expected_amount"`
}

func (a *API) pay(w http.ResponseWriter, r *http.Request, c *call) error {
	ref, err := booking.ParseRef(chi.URLParam(r, "order"))
	if err != nil {
		return err
	}
	var body payBody
	if err := decode(r, c.body, &body); err != nil {
		return err
	}
	answer, err := a.booking.Pay(r.Context(), c.command(""), booking.PayRequest{Order: ref, CardToken: body.CardToken, ExpectedAmount: body.ExpectedAmount})
	if err != nil {
		return err
	}
	return a.writeAnswer(w, answer, lease)
}

func (a *API) cancelOrder(w http.ResponseWriter, r *http.Request, c *call) error {
	ref, err := booking.ParseRef(chi.URLParam(r, "order"))
	if err != nil {
		return err
	}
	if err := noBody(c); err != nil {
		return err
	}
	answer, err := a.booking.CancelOrder(r.Context(), c.command(""), booking.CancelRequest{Order: ref})
	if err != nil {
		return err
	}
	return a.writeAnswer(w, answer, noLease)
}
