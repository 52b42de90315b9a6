package api

import (
	"context"
	"net/http"
	"time"

	"github.com/ropeline/ropeline/core/problem"
)

// readyTimeout bounds the question to the database; who asks has a timeout too.
const readyTimeout = 2 * time.Second

var errNotReady = &problem.Error{Status: http.StatusServiceUnavailable, Code: "not_ready", RetryAfter: time.Second, Detail: "This process cannot serve at this moment."}

func (a *API) healthz(w http.ResponseWriter, _ *http.Request, _ *call) error {
	return writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// readyz says no while the process is ending, before it stops listening: the load
// balancer must hear of it first.
func (a *API) readyz(w http.ResponseWriter, r *http.Request, _ *call) error {
	if a.draining.Load() {
		return errNotReady.Say("This process is ending.")
	}
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	if err := a.ready(ctx); err != nil {
		return errNotReady.Say("The database is not as this build needs it.").Because(err)
	}
	return writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// Drain makes readyz say no from now on.
func (a *API) Drain() { a.draining.Store(true) }
