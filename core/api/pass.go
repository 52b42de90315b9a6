package api

import (
	"errors"
	"net/http"
	"time"

	"github.com/ropeline/ropeline/admission"
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
// The visitor it returns is the device that buys, "" where passes are not asked for.
func (a *API) checkPass(r *http.Request) (visitor string, err error) {
	if a.passes == nil {
		return "", nil
	}
	token := r.Header.Get(passHeader)
	if token == "" {
		return "", errPassRequired
	}
	p, err := a.passes.Verify(token, a.now())
	var invalid *admission.Invalid
	switch {
	case err == nil:
		return string(p.VID), nil
	case errors.As(err, &invalid) && invalid.Reason == admission.ReasonUnavailable:
		return "", errPassUnknown.Because(err)
	case errors.As(err, &invalid):
		return "", errPassRequired.With("reason", invalid.Reason).Because(err)
	}
	return "", errPassRequired.Because(err)
}
