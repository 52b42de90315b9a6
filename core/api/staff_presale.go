package api

import (
	"net/http"
	"net/url"
	"regexp"
	"strconv"

	"github.com/go-chi/chi/v5"

	"github.com/ropeline/ropeline/core/booking"
	"github.com/ropeline/ropeline/core/problem"
)

var codesParameters = []parameter{
	{name: "after", description: "Codes after this mark; for the next page", example: "3fa09c12d4e5b6a7"},
}

var markForm = regexp.MustCompile(`^[0-9a-f]{16}$`)

var errNoPresale = problem.NotFound.Say("This event has no such presale.")

func (a *API) listPresales(w http.ResponseWriter, r *http.Request, _ *call) error {
	list, err := a.booking.Presales(r.Context(), chi.URLParam(r, "event"))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]any{"presales": list})
}

// listCodes never takes a code: an address is written into logs.
func (a *API) listCodes(w http.ResponseWriter, r *http.Request, _ *call) error {
	n, err := a.presaleOf(r)
	if err != nil {
		return err
	}
	after := r.URL.Query().Get("after")
	if after != "" && !markForm.MatchString(after) {
		return errInvalidQuery.Say("after: want the mark of a code, 16 hexadecimal digits.").With("parameter", "after")
	}
	list, err := a.booking.Codes(r.Context(), chi.URLParam(r, "event"), n, after, "")
	if err != nil {
		return err
	}
	next := (*string)(nil)
	if len(list) == booking.CodePage {
		next = &list[len(list)-1].Mark
	}
	return writeJSON(w, http.StatusOK, map[string]any{"codes": list, "next": next})
}

// presaleOf finds a presale by its name, which is how import files and the command line
// know it, or else by the number that the list gives. A name that looks like a number wins.
func (a *API) presaleOf(r *http.Request) (int16, error) {
	said := chi.URLParam(r, "presale")
	if text, err := url.PathUnescape(said); err == nil && r.URL.RawPath != "" { // a name with a slash comes as it was written
		said = text
	}
	list, err := a.booking.Presales(r.Context(), chi.URLParam(r, "event"))
	if err != nil {
		return 0, err
	}
	for _, p := range list {
		if p.Name == said {
			return p.Presale, nil
		}
	}
	n, err := strconv.ParseInt(said, 10, 16)
	if err != nil || n <= 0 {
		return 0, errNoPresale.Say("This event has no presale of this name or number.")
	}
	return int16(n), nil
}
