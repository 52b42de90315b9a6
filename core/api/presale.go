package api

import (
	"net/http"
	"net/netip"

	"github.com/go-chi/chi/v5"

	"github.com/ropeline/ropeline/core/booking"
)

func (a *API) redeem(w http.ResponseWriter, r *http.Request, c *call) error {
	var body struct {
		Code string `json:"code"`
	}
	if err := decode(r, c.body, &body); err != nil {
		return err
	}
	answer, err := a.booking.Redeem(r.Context(), c.command(chi.URLParam(r, "event")),
		booking.RedeemRequest{Code: body.Code, Network: network(a.proxies.client(r))})
	if err != nil {
		return err
	}
	return a.writeAnswer(w, answer, noLease)
}

// network is whose tries are counted together: one IPv4 address, one IPv6 household. A
// wider IPv4 prefix would lock out everybody behind a carrier for one who guesses.
func network(a netip.Addr) string {
	bits := 32
	if a.Is6() {
		bits = 64
	}
	p, err := a.Prefix(bits)
	if err != nil {
		return ""
	}
	return p.String()
}
