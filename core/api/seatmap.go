package api

import (
	"errors"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/ropeline/ropeline/core/problem"
	"github.com/ropeline/ropeline/seatmap"
	"github.com/ropeline/ropeline/seatmap/readpath"
)

var errVersion = problem.New(http.StatusBadRequest, "invalid_version", "The version of a map is two whole numbers with a dot, as in an earlier answer: 17.1760000000.")

var errMapsBusy = &problem.Error{Status: http.StatusServiceUnavailable, Code: "overloaded", RetryAfter: time.Second,
	Detail: "Too many maps are being read for the first time. Please try again in a moment."}

var errStreamsFull = &problem.Error{Status: http.StatusServiceUnavailable, Code: "overloaded", RetryAfter: 30 * time.Second,
	Detail: "Too many streams are open. Please ask for the map every few seconds instead."}

var errStreamsOff = &problem.Error{Status: http.StatusServiceUnavailable, Code: "extras_paused", RetryAfter: 30 * time.Second,
	Detail: "Streams are paused while very many people are buying. Please ask for the map every few seconds instead."}

func (a *API) getSeats(w http.ResponseWriter, r *http.Request, _ *call) error {
	return mapError(a.maps.ServeSnapshot(w, r, chi.URLParam(r, "event"), true))
}

func (a *API) getSeatFrame(w http.ResponseWriter, r *http.Request, _ *call) error {
	return mapError(a.maps.ServeSnapshot(w, r, chi.URLParam(r, "event"), false))
}

func (a *API) getSeatsSince(w http.ResponseWriter, r *http.Request, _ *call) error {
	return a.seatsSince(w, r, true)
}

func (a *API) getSeatFrameSince(w http.ResponseWriter, r *http.Request, _ *call) error {
	return a.seatsSince(w, r, false)
}

func (a *API) seatsSince(w http.ResponseWriter, r *http.Request, asJSON bool) error {
	from, err := seatmap.ParseVersion(chi.URLParam(r, "version"))
	if err != nil {
		return errVersion.Because(err)
	}
	return mapError(a.maps.ServeDelta(w, r, chi.URLParam(r, "event"), from, asJSON))
}

func (a *API) streamSeats(w http.ResponseWriter, r *http.Request, _ *call) error {
	if a.pressed(pressed) {
		a.metrics.shed.WithLabelValues("stream").Inc()
		return errStreamsOff
	}
	return mapError(a.maps.ServeStream(w, r, chi.URLParam(r, "event")))
}

func mapError(err error) error {
	switch {
	case errors.Is(err, readpath.ErrUnknown):
		return problem.NotFound.Because(err)
	case errors.Is(err, readpath.ErrBusy):
		return errMapsBusy.Because(err)
	case errors.Is(err, readpath.ErrFull):
		return errStreamsFull.Because(err)
	}
	return err
}
