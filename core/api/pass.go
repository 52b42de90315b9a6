package api

import (
	"errors"
	"net/http"
	"time"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/core/problem"
)

// passHeader is what the edge sends on to the origin after it has removed
// everything a client could have put there.
const passHeader = "Ropeline-Pass"

// PassVerifier checks passes of one room; *admission.Verifier is one.
type PassVerifier interface {
	Verify(token string, now time.Time) (admission.Pass, error)
}

// checkPass refuses a buying call that did not come through the waiting room. It
// comes before everything else: whoever goes around the line learns nothing, not
// even whether an account or an event exists.
//
// The visitor of the pass is the device that buys; the pass is empty where passes are not asked for.
func (a *API) checkPass(r *http.Request) (p admission.Pass, err error) {
	if a.passes == nil {
		return p, nil
	}
	token := r.Header.Get(passHeader)
	if token == "" {
		return p, errPassRequired
	}
	p, err = a.passes.Verify(token, a.now())
	var invalid *admission.Invalid
	switch {
	case err == nil:
		return p, nil
	case errors.As(err, &invalid) && invalid.Reason == admission.ReasonUnavailable:
		return p, errPassUnknown.Because(err)
	case errors.As(err, &invalid):
		return p, errPassRequired.With("reason", invalid.Reason).Because(err)
	}
	return p, errPassRequired.Because(err)
}

var errEdgeRequired = problem.New(http.StatusForbidden, "edge_required", "Requests come here through the waiting room.")

// locked refuses whoever did not come through an edge, before anything is looked at. Probes come from the machine.
func (a *API) locked(lock *admission.OriginLock, next http.Handler) http.Handler {
	if lock == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" && r.URL.Path != "/readyz" && !lock.Opens(r) {
			refuse(w, r, a.log, errEdgeRequired)
			return
		}
		next.ServeHTTP(w, r)
	})
}
