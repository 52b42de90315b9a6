package api

import (
	"context"
	"errors"
	"mime"
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"
	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/booking"
	"github.com/ropeline/ropeline/core/event"
	"github.com/ropeline/ropeline/core/event/eventfile"
	"github.com/ropeline/ropeline/core/problem"
)

// Bodies of staff: a venue of 60,000 seats has 3 MB.
const (
	maxVenue = 16 << 20
	maxEvent = 256 << 10
)

var (
	errCatalogue = problem.New(http.StatusUnprocessableEntity, "invalid_catalogue", "This cannot be brought into the catalogue.")
	errNoCounter = problem.NotFound.Say("This event has no such area or class.")
	errNoEvent   = problem.NotFound.Say("There is no such event.")
)

var changesParameters = []parameter{
	{name: "event", description: "Of this event only", example: "night-of-lights"},
	{name: "before", description: "Older than this change; for the next page", example: "1200"},
}

// sqlStaffLimits: a change of staff may wait for the sale's transactions, which are
// short, and for the rows of a large venue.
const sqlStaffLimits = `SET LOCAL statement_timeout = '60s'; SET LOCAL lock_timeout = '5s'`

func (a *API) putVenue(w http.ResponseWriter, r *http.Request, c *call) error {
	return a.bringIn(w, r, c, func() (*eventfile.File, error) { return eventfile.ParseVenue(c.body, chi.URLParam(r, "venue")) }, "venue")
}

func (a *API) putEvent(w http.ResponseWriter, r *http.Request, c *call) error {
	return a.bringIn(w, r, c, func() (*eventfile.File, error) { return eventfile.ParseEvent(c.body, chi.URLParam(r, "event")) }, "events[0]")
}

func (a *API) bringIn(w http.ResponseWriter, r *http.Request, c *call, parse func() (*eventfile.File, error), path string) error {
	if err := jsonMedia(r, "application/json"); err != nil {
		return err
	}
	file, err := parse()
	if err != nil {
		return findings(err, "")
	}
	var changes []event.Change
	err = a.asStaff(r.Context(), c, func(ctx context.Context, tx pgx.Tx) (err error) {
		if changes, err = event.Import(ctx, tx, file); err != nil {
			return err
		}
		return booking.Announce(ctx, tx, changes)
	})
	if err != nil {
		return findings(err, path)
	}
	return writeJSON(w, http.StatusOK, map[string]any{"changes": changes})
}

func (a *API) patchEvent(w http.ResponseWriter, r *http.Request, c *call) error {
	if err := jsonMedia(r, "application/json", "application/merge-patch+json"); err != nil {
		return err
	}
	var changes []event.Change
	err := a.asStaff(r.Context(), c, func(ctx context.Context, tx pgx.Tx) (err error) {
		found := false
		if changes, found, err = event.Patch(ctx, tx, chi.URLParam(r, "event"), c.body); err == nil && !found {
			err = errNoEvent
		}
		if err != nil {
			return err
		}
		return booking.Announce(ctx, tx, changes)
	})
	if err != nil {
		return findings(err, "events[0]")
	}
	return writeJSON(w, http.StatusOK, map[string]any{"changes": changes})
}

func (a *API) exportEvent(w http.ResponseWriter, r *http.Request, _ *call) error {
	tx, err := a.db.Pool.BeginTx(r.Context(), pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(r.Context())) }()
	doc, found, err := event.Export(r.Context(), tx, chi.URLParam(r, "event"))
	switch {
	case err != nil:
		return err
	case !found:
		return errNoEvent
	}
	writeBytes(w, http.StatusOK, "application/json", doc)
	return nil
}

func (a *API) listChanges(w http.ResponseWriter, r *http.Request, _ *call) error {
	q := r.URL.Query()
	before := int64(0)
	if text := q.Get("before"); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n <= 0 {
			return errInvalidQuery.Say("before: want the id of a change, as in 1200.").With("parameter", "before")
		}
		before = n
	}
	list, err := event.Records(r.Context(), a.db.Pool, clip(q.Get("event")), before)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]any{"changes": list})
}

// asStaff runs a change under the name that is written beside it.
func (a *API) asStaff(ctx context.Context, c *call, fn func(context.Context, pgx.Tx) error) error {
	return a.db.InTx(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, sqlStaffLimits); err != nil {
			return err
		}
		if err := event.Act(ctx, tx, c.staff.Subject); err != nil {
			return err
		}
		return fn(ctx, tx)
	})
}

// findings turns what is wrong with a document into one refusal that names all of
// it, with the fields as seen from inside of path.
func findings(err error, path string) error {
	var list eventfile.Findings
	if !errors.As(err, &list) {
		return err
	}
	type finding struct {
		Line  int    `json:"line,omitempty"`
		Field string `json:"field"`
		Text  string `json:"text"`
	}
	out := make([]finding, 0, len(list))
	for _, f := range list.Below(path) {
		out = append(out, finding{f.Line, f.Field, f.Text})
	}
	return errCatalogue.With("findings", out)
}

func jsonMedia(r *http.Request, allowed ...string) error {
	mt, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err == nil {
		for _, one := range allowed {
			if mt == one {
				return nil
			}
		}
	}
	return errMediaType
}
