package api

import (
	"net/http"
	"strings"

	"github.com/ropeline/ropeline/core/problem"
)

// MaxServerHeader is what the http.Server in front of an API should read of
// headers: more than an API takes, so that what is too long gets the right answer.
const MaxServerHeader = 64 << 10

// Limits of a request before anything of it is looked at.
const (
	maxHeaderBytes = 16 << 10
	maxHeaders     = 100
	maxURL         = 8 << 10
	maxParameters  = 1000
)

var (
	errHeaders    = problem.New(http.StatusRequestHeaderFieldsTooLarge, "headers_too_large", "The request's headers are too many or too large.")
	errURL        = problem.New(http.StatusRequestURITooLong, "url_too_long", "The address is too long.")
	errParameters = problem.New(http.StatusBadRequest, "too_many_parameters", "The address has too many parameters.")
)

// knownMethods: anything else is answered 501, never echoed, never proxied.
var knownMethods = map[string]bool{"GET": true, "HEAD": true, "POST": true, "PUT": true, "PATCH": true, "DELETE": true, "OPTIONS": true,
	"CONNECT": true, "TRACE": true}

// checkLimits looks at sizes only.
func checkLimits(r *http.Request) error {
	if !knownMethods[r.Method] {
		return errNotImplemented
	}
	if strings.Count(r.URL.RawQuery, "&") >= maxParameters {
		return errParameters
	}
	if len(r.RequestURI) > maxURL {
		return errURL
	}
	count, size := 0, 0
	for name, values := range r.Header {
		count += len(values)
		for _, v := range values {
			size += len(name) + len(v)
		}
	}
	if count > maxHeaders || size > maxHeaderBytes {
		return errHeaders
	}
	return nil
}
