package api

import (
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/ropeline/ropeline/core/booking"
	"github.com/ropeline/ropeline/core/problem"
	"github.com/ropeline/ropeline/core/ticket"
)

func (a *API) listTickets(w http.ResponseWriter, r *http.Request, c *call) error {
	list, err := a.booking.Tickets(r.Context(), c.account)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]any{"tickets": list})
}

func (a *API) getTicket(w http.ResponseWriter, r *http.Request, c *call) error {
	t, err := a.ticket(r, c)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, t)
}

func (a *API) getTicketCode(w http.ResponseWriter, r *http.Request, c *call) error {
	t, err := a.ticket(r, c)
	if err != nil {
		return err
	}
	if t.Code == "" { // a picture of a revoked ticket would look as good as a valid one
		return problem.NotFound.Say("This ticket has no code any more.")
	}
	svg, err := ticket.QR(t.Code)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	writeBytes(w, http.StatusOK, "image/svg+xml", svg)
	return nil
}

func (a *API) ticket(r *http.Request, c *call) (booking.TicketView, error) {
	ref, err := booking.ParseRef(chi.URLParam(r, "ticket"))
	if err != nil {
		return booking.TicketView{}, err
	}
	return a.booking.Ticket(r.Context(), c.account, ref)
}

func (a *API) getTicketKeys(w http.ResponseWriter, _ *http.Request, _ *call) error {
	writeBytes(w, http.StatusOK, "application/json", a.booking.TicketKeys())
	return nil
}
