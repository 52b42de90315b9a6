package api

import (
	"net/http"
	"path"
	"strings"

	"github.com/go-chi/chi/v5"
)

// programs are the prefixes that belong to programs: what is not there is answered
// with a problem, not with a page.
var programs = []string{"/v1/", "/webhooks/", "/dev/"}

// fallback gives everything else that is read to the storefront.
func (a *API) fallback(pages http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		// One spelling of each address: net/http would redirect "//v1/events", and
		// what stands in front may have matched it as something else.
		if p := r.URL.Path; p != "/" && p != path.Clean(p) && p != path.Clean(p)+"/" {
			refuse(w, r, a.log, errNoRoute)
			return
		}
		for _, prefix := range programs {
			if strings.HasPrefix(r.URL.Path, prefix) || r.URL.Path+"/" == prefix {
				refuse(w, r, a.log, errNoRoute)
				return
			}
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			refuse(w, r, a.log, errMethod)
			return
		}
		observed(r).route = "pages"
		pages.ServeHTTP(w, r)
	}
}

// methodNotAllowed names the methods there are (RFC 9110 15.5.6). Only the real
// method counts: X-HTTP-Method-Override and _method are never looked at.
func (a *API) methodNotAllowed(mux chi.Routes) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var allowed []string
		for _, m := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
			if mux.Match(chi.NewRouteContext(), m, r.URL.Path) {
				allowed = append(allowed, m)
			}
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		refuse(w, r, a.log, errMethod)
	}
}
