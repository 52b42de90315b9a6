package api

import (
	"mime"
	"net/http"
	"net/url"
)

// parseForm reads a form that was posted by a page.
func parseForm(r *http.Request, body []byte) (url.Values, error) {
	if mt, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || mt != "application/x-www-form-urlencoded" {
		return nil, errMediaType.Say("The body must be a form.")
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, errInvalidBody.Say("The form cannot be read.").Because(err)
	}
	return form, nil
}
