package api

import (
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"

	"github.com/ropeline/ropeline/core/event"
	"github.com/ropeline/ropeline/core/problem"
)

// maxSearch bounds one search parameter, in characters.
const maxSearch = 100

var searchParameters = []parameter{
	{name: "q", description: "Words in title, description, organiser, place or venue", example: "lights"},
	{name: "place", description: "Place, venue or city", example: "Cologne"},
	{name: "from", description: "Start of a route", example: "Berlin"},
	{name: "to", description: "End of a route", example: "Prague"},
	{name: "date", description: "The day, in the event's own time zone", example: "2027-06-12", format: "date"},
}

func (a *API) searchEvents(w http.ResponseWriter, r *http.Request, _ *call) error {
	v := r.URL.Query()
	for name := range v {
		s := v.Get(name)
		if utf8.RuneCountInString(s) > maxSearch {
			return errInvalidQuery.Say("%s: want at most %d characters of text.", name, maxSearch).With("parameter", name)
		}
	}
	q := event.Query{Text: strings.TrimSpace(v.Get("q")), Place: strings.TrimSpace(v.Get("place")),
		From: strings.TrimSpace(v.Get("from")), To: strings.TrimSpace(v.Get("to")), Date: v.Get("date")}
	if q.Date != "" {
		if t, err := time.Parse(time.DateOnly, q.Date); err != nil || t.Year() < 1 {
			return errInvalidQuery.Say("date: want a day like 2027-06-12.").With("parameter", "date")
		}
	}
	found, err := a.search(r, q)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]any{"events": found})
}

var errSearchPaused = &problem.Error{Status: http.StatusServiceUnavailable, Code: "search_paused", RetryAfter: 10 * time.Second,
	Detail: "Searching is paused for a moment while very many people are buying. The list of all events and every event's page can be had."}

// search asks the database; while that has no time to spare, only what it has answered lately. The list of everything is
// one question a second for everybody, and is always asked.
func (a *API) search(r *http.Request, q event.Query) ([]event.Summary, error) {
	if q == (event.Query{}) || !a.pressed(crushed) {
		return a.catalogue.Search(r.Context(), q)
	}
	if found, ok := a.catalogue.Lately(q); ok {
		return found, nil
	}
	a.metrics.shed.WithLabelValues("search").Inc()
	return nil, errSearchPaused
}

func (a *API) getEvent(w http.ResponseWriter, r *http.Request, _ *call) error {
	d, err := a.catalogue.Get(r.Context(), chi.URLParam(r, "event"))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, d)
}

func (a *API) getGeometry(w http.ResponseWriter, r *http.Request, _ *call) error {
	hash := chi.URLParam(r, "hash")
	doc, err := a.catalogue.Geometry(r.Context(), hash)
	if err != nil {
		return err
	}
	doc.Serve(w, r)
	return nil
}
