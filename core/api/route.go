package api

import (
	"errors"
	"net/http"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/core/api/issuer"
	"github.com/ropeline/ropeline/core/problem"
)

// need is what a route asks of its caller, besides a well-formed request.
type need uint8

const (
	needAccount need = 1 << iota // somebody is signed in
	needKey                      // an Idempotency-Key
	needPass                     // a pass of the waiting room: a buying call
	needStaff                    // a bearer token of staff; a cookie never
)

// How long an answer may be kept, and by whom.
const (
	cachePersonal  = "private, no-store" // belongs to one person, or changes at once
	cacheSecond    = "public, max-age=1, s-maxage=1, stale-while-revalidate=5"
	cacheImmutable = "public, max-age=31536000, immutable" // named by the hash of its bytes
	cacheMinutes   = "public, max-age=300"
)

// route is one line of the table: what is registered, what is checked before the
// handler runs, and what the OpenAPI document says of it. They are one value, so
// they cannot disagree.
type route struct {
	method, pattern string
	name            string // operationId, metric label
	summary         string
	needs           need
	query           []parameter // others are refused by name
	body            string      // schema of the JSON body; "" is none
	media           string      // of the body when it is not JSON
	maxBody         int64       // 0: maxBody
	answers         []answer
	cache           string
	pace            pace
	dev             bool // only with the development issuer
	handle          func(*API, http.ResponseWriter, *http.Request, *call) error
}

// answer is one documented success. Refusals have one shape and are documented once.
type answer struct {
	status int
	schema string // "" with media: not JSON; both "": no body
	media  string
}

type parameter struct {
	name, description, example string
	format                     string // of OpenAPI; "" is none
}

// call is what the checks before a handler found out.
type call struct {
	route   *route
	account int64
	pass    admission.Pass
	device  string // its visitor
	staff   issuer.Account
	key     string
	body    []byte
}

// mutates: RFC 9110's safe methods never do.
func (rt *route) mutates() bool { return rt.method != http.MethodGet && rt.method != http.MethodHead }

func (rt *route) is(n need) bool { return rt.needs&n != 0 }

// serve runs the checks of a route in their order and then its handler. The order
// matters: who came around the line learns nothing else, another site's page is
// refused before its cookie is looked at, and no body is read for a stranger.
func (a *API) serve(rt *route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		observed(r).route = rt.name
		if rt.cache != "" { // else the handler says it
			w.Header().Set("Cache-Control", rt.cache)
		}
		err := error(errNoRoute)
		if isText(r.URL.Path) { // nothing we have is named otherwise
			err = a.run(rt, w, r)
		}
		if rt.is(needAccount) && errors.Is(err, problem.NotFound) {
			// One sentence for what is another's and for what nobody has: the detail
			// of the part that found out would tell the two apart.
			err = problem.NotFound.Because(err)
		}
		if err != nil {
			refuse(w, r, a.log, err)
		}
	}
}

func (a *API) run(rt *route, w http.ResponseWriter, r *http.Request) (err error) {
	c := &call{route: rt}
	if rt.is(needPass) {
		if c.pass, err = a.checkPass(r); err != nil {
			return err
		}
		c.device = string(c.pass.VID)
	}
	if err := checkQuery(rt, r); err != nil {
		return err
	}
	if rt.is(needAccount) {
		token, cookie := credential(r)
		if cookie && rt.mutates() && !sameSite(r) {
			return errCrossSite
		}
		if c.account, err = a.accounts.caller(r.Context(), token, rt.mutates()); err != nil {
			return err
		}
		observed(r).account = c.account
	}
	if err := a.checkPace(rt, r, c); err != nil {
		return err
	}
	if rt.is(needPass) && rt.is(needAccount) {
		token, _ := credential(r)
		if err := a.checkSession(w, r, c, token); err != nil {
			return err
		}
	}
	if rt.is(needStaff) {
		token, cookie := credential(r)
		if cookie { // a browser adds it by itself, to anybody's request
			token = ""
		}
		if c.staff, err = a.accounts.staff(token); err != nil {
			return err
		}
	}
	if rt.is(needKey) {
		if c.key, err = idempotencyKey(r); err != nil {
			return err
		}
	}
	if rt.mutates() {
		limit := rt.maxBody
		if limit == 0 {
			limit = maxBody
		}
		if c.body, err = readBody(w, r, limit); err != nil {
			return err
		}
	}
	leave, err := a.inTurn(w, r, rt)
	if err != nil {
		return err
	}
	defer leave()
	return rt.handle(a, w, r, c)
}

// checkQuery refuses parameters the route does not have: a search for "dat=..."
// that silently ignores the date finds the wrong evening.
func checkQuery(rt *route, r *http.Request) error {
	if r.URL.RawQuery == "" {
		return nil
	}
	for name, values := range r.URL.Query() {
		known := false
		for _, p := range rt.query {
			known = known || p.name == name
		}
		switch {
		case !known:
			return errInvalidQuery.Say("%s: is no parameter of this address.", clip(name)).With("parameter", clip(name))
		case len(values) > 1:
			return errInvalidQuery.Say("%s: is there more than once.", name).With("parameter", name)
		case !isText(values[0]):
			return errInvalidQuery.Say("%s: must be UTF-8 without the character NUL.", name).With("parameter", name)
		}
	}
	return nil
}
