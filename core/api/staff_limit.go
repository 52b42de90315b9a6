package api

import (
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"

	"github.com/ropeline/ropeline/core/booking"
)

func (a *API) setLimit(w http.ResponseWriter, r *http.Request, c *call) error {
	var body struct {
		Capacity *int   `json:"capacity"`
		Overbook *int   `json:"overbook"`
		Reason   string `json:"reason"`
	}
	if err := decode(r, c.body, &body); err != nil {
		return err
	}
	// A number that was left out is not 0: that would close a class by a slip.
	if body.Capacity == nil || body.Overbook == nil {
		return errInvalidBody.Say("A limit is \"capacity\" and \"overbook\", both.")
	}
	counter, err := counterOf(r)
	if err != nil {
		return err
	}
	v, err := a.booking.SetLimit(r.Context(), chi.URLParam(r, "event"), booking.LimitRequest{
		Counter: counter, Capacity: *body.Capacity, Overbook: *body.Overbook, Actor: c.staff.Subject, Reason: body.Reason})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, v)
}

func (a *API) deniedBoarding(w http.ResponseWriter, r *http.Request, _ *call) error {
	counter, err := counterOf(r)
	if err != nil {
		return err
	}
	list, err := a.booking.DeniedBoarding(r.Context(), chi.URLParam(r, "event"), counter)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]any{"denied": list})
}

func counterOf(r *http.Request) (int64, error) {
	n, err := strconv.ParseInt(chi.URLParam(r, "counter"), 10, 64)
	if err != nil || n <= 0 {
		return 0, errNoCounter
	}
	return n, nil
}
