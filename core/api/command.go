package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/ropeline/ropeline/core/booking"
)

// command is the scope of the call's Idempotency-Key. The route is its pattern:
// what the path names is added by the engine, so the same key on another order is
// another request under the same key, and refused.
func (c *call) command(event string) booking.Command {
	return booking.Command{EventSlug: event, AccountID: c.account, Route: c.route.method + " " + c.route.pattern,
		Key: c.key, BodyHash: sha256.Sum256(c.body)}
}

// noBody: a call without a body takes none, not even an ignored one.
func noBody(c *call) error {
	if len(bytes.TrimSpace(c.body)) > 0 {
		return errInvalidBody.Say("This call takes no body.")
	}
	return nil
}

// Ropeline-Lease asks the edge to keep the buyer's session for so many seconds from
// now. After a hold the buyer needs it to the hold's end and a little longer, for a
// payment that was started in the last moment.
const (
	leaseHeader = "Ropeline-Lease"
	payWindow   = 2 * time.Minute
	maxLease    = time.Hour
)

type leasing bool

const (
	lease   leasing = true
	noLease leasing = false
)

// writeAnswer sends the stored bytes of a command. A replay is the first answer,
// byte for byte, and says that it is one.
func (a *API) writeAnswer(w http.ResponseWriter, answer booking.Answer, l leasing) error {
	h := w.Header()
	if answer.Replayed {
		h.Set("Idempotency-Replayed", "true")
	}
	if l {
		a.setLease(h, answer.Body)
	}
	writeBytes(w, answer.Status, "application/json", answer.Body)
	return nil
}

// setLease reads the end of the hold out of the answer: hold and order both have it.
func (a *API) setLease(h http.Header, body []byte) {
	var view struct {
		ExpiresAt time.Time `json:"expires_at"`
	}
	if json.Unmarshal(body, &view) != nil || view.ExpiresAt.IsZero() {
		return
	}
	left := max(0, view.ExpiresAt.Sub(a.now())) + payWindow
	h.Set(leaseHeader, strconv.Itoa(int(math.Ceil(min(left, maxLease).Seconds()))))
}
