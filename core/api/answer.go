package api

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/ropeline/ropeline/core/booking"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/problem"
)

// Refusals of the HTTP side. Those of a sale stand beside the code that decides them.
var (
	errInternal       = problem.New(http.StatusInternalServerError, "internal", "Something is wrong on our side. Nothing is known to have changed.")
	errNoRoute        = problem.New(http.StatusNotFound, "not_found", "There is nothing at this address.")
	errMethod         = problem.New(http.StatusMethodNotAllowed, "method_not_allowed", "This address does not know this method.")
	errUnauthentic    = problem.New(http.StatusUnauthorized, "unauthenticated", "Please sign in.")
	errWrongRole      = problem.New(http.StatusForbidden, "wrong_role", "This token is not for calls like this one.")
	errPassRequired   = problem.New(http.StatusForbidden, "pass_required", "This call needs a valid pass of the waiting room.")
	errCrossSite      = problem.New(http.StatusForbidden, "cross_site", "This call was made from another site's page.")
	errBodyTooLarge   = problem.New(http.StatusRequestEntityTooLarge, "body_too_large", "The body is larger than this call takes.")
	errMediaType      = problem.New(http.StatusUnsupportedMediaType, "unsupported_media_type", "The body must be application/json.")
	errInvalidJSON    = problem.New(http.StatusBadRequest, "invalid_json", "The body is not a JSON object.")
	errInvalidBody    = problem.New(http.StatusUnprocessableEntity, "invalid_body", "A member of the body is not as it must be.")
	errInvalidQuery   = problem.New(http.StatusUnprocessableEntity, "invalid_parameter", "A parameter of the address is not as it must be.")
	errNotImplemented = problem.New(http.StatusNotImplemented, "not_implemented", "Nobody knows this method.")
	errNotText        = problem.New(http.StatusUnprocessableEntity, "invalid_text", "Text must be UTF-8 without the character NUL.")
	errUnavailable    = &problem.Error{Status: http.StatusServiceUnavailable, Code: "unavailable", RetryAfter: 2 * time.Second,
		Detail: "The database cannot be reached at this moment. Nothing was changed; please try again."}
	errPassUnknown = &problem.Error{Status: http.StatusServiceUnavailable, Code: "pass_keys_unavailable", RetryAfter: time.Second,
		Detail: "Passes cannot be checked at this moment. Nothing was changed; please try again."}
)

// statusClosed is nginx's number for a client that went away: it is only ever
// logged and counted, since nobody reads the answer.
const statusClosed = 499

// writeJSON answers with v. Headers set before stay.
func writeJSON(w http.ResponseWriter, status int, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	writeBytes(w, status, "application/json", b)
	return nil
}

func writeBytes(w http.ResponseWriter, status int, mediaType string, b []byte) {
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Content-Length", strconv.Itoa(len(b)))
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(b) // a failure here is the client gone
}

// refuse is the one place where an error becomes HTTP (RFC 9457). A *problem.Error
// is told to the caller; anything else is a fault of ours, told as "internal" with
// the cause in the log only.
func refuse(w http.ResponseWriter, r *http.Request, log *slog.Logger, err error) {
	p := problem.As(err)
	var tooLarge *http.MaxBytesError
	switch {
	case r.Context().Err() != nil && (p == nil || errors.Is(err, context.Canceled)):
		w.WriteHeader(statusClosed)
		return
	case p == nil && errors.As(err, &tooLarge):
		p = errBodyTooLarge.With("limit", tooLarge.Limit)
	case p == nil && pg.IsConnection(err):
		p = errUnavailable // before any COMMIT: one that was sent is outcome_unknown
	case p == nil && pg.IsNotText(err):
		p = errNotText
	case p == nil:
		p = errInternal
	}
	seen := observed(r)
	seen.code = p.Code
	// Payments that were switched off are no fault, and whoever switched them is in the log:
	// an error for each buyer who tries would hide the faults of that hour.
	if p.Status >= http.StatusInternalServerError && !errors.Is(err, booking.ErrPaymentsOff) {
		log.Error("refused", "code", p.Code, "request_id", seen.id, "route", seen.route, "err", err)
	}
	members := make(map[string]any, len(p.Extra)+6)
	for k, v := range p.Extra {
		members[k] = v
	}
	// After the extras: no member of a refusal can replace a standard one.
	members["type"] = "urn:ropeline:problem:" + p.Code
	members["title"] = http.StatusText(p.Status)
	members["status"] = p.Status
	members["code"] = p.Code
	members["detail"] = p.Detail
	members["request_id"] = seen.id
	b, err := json.Marshal(members)
	if err != nil { // an extra that is no JSON is a mistake of ours
		log.Error("problem without extras", "code", p.Code, "err", err)
		b = []byte(`{"type":"urn:ropeline:problem:internal","title":"Internal Server Error","status":500,"code":"internal"}`)
	}
	h := w.Header()
	h.Set("Cache-Control", "private, no-store")
	h.Del("ETag")
	if p.RetryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(p.RetryAfter.Seconds()))))
	}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="ropeline"`)
	}
	writeBytes(w, p.Status, "application/problem+json", b)
}
