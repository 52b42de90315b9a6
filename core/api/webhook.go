package api

import (
	"net/http"

	"github.com/go-chi/chi/v5"
)

// webhook stores the notice and answers 204; what it says is worked out afterwards.
// There is no account and no key: the provider's signature and its event id are both.
func (a *API) webhook(w http.ResponseWriter, r *http.Request, c *call) error {
	if err := a.booking.ReceiveWebhook(r.Context(), chi.URLParam(r, "provider"), r.Header, c.body); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
