package api

import (
	"errors"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/ropeline/ropeline/core/api/throttle"
	"github.com/ropeline/ropeline/core/booking"
)

// forgersKept is how many networks with bad signatures are remembered, at 16 bytes each.
const forgersKept = 1 << 14

// badNotices bounds how many bad signatures of one network are computed. Good ones are not counted: a provider may send a
// whole sale's notices in a minute, and whoever forges some cannot shut it out from another network.
var badNotices = throttle.Limit{PerMinute: 60, Burst: 60}

// webhook stores the notice and answers 204; what it says is worked out afterwards.
// There is no account and no key: the provider's signature and its event id are both.
func (a *API) webhook(w http.ResponseWriter, r *http.Request, c *call) error {
	client := a.proxies.client(r)
	// An address of our own proxies is nobody's network: it may stand for the provider.
	counted := client.IsValid() && !a.proxies.trust(client)
	from := prefixKey(prefixOf(client))
	if counted {
		if wait := throttle.Wait(a.forgers, from, badNotices, a.now()); wait > 0 {
			err := errTooOften.With("limit", "network")
			err.RetryAfter = wait
			return err
		}
	}
	err := a.booking.ReceiveWebhook(r.Context(), chi.URLParam(r, "provider"), r.Header, c.body)
	if counted && errors.Is(err, booking.ErrSignature) {
		throttle.Try(a.forgers, from, badNotices, a.now())
	}
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
