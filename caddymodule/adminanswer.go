package caddymodule

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/caddyserver/caddy/v2"
)

func answerAdmin(w http.ResponseWriter, r *http.Request) error { return admit(w, r, serveAdmin) }

// admit does it unless another site's page sent the request. What an operator has mistyped it answers by itself: Caddy
// would log it as an error of the server, and wake somebody up for a slip that its own author has just been told of.
func admit(w http.ResponseWriter, r *http.Request, do func(http.ResponseWriter, *http.Request) error) error {
	err := strangersPage(r)
	if err == nil {
		err = do(w, r)
	}
	var slip caddy.APIError
	if !errors.As(err, &slip) || slip.HTTPStatus >= http.StatusInternalServerError {
		return err
	}
	if slip.Message == "" && slip.Err != nil {
		slip.Message = slip.Err.Error()
	}
	caddy.Log().Named("admin.ropeline").Info("refused: " + slip.Message)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(slip.HTTPStatus)
	return json.NewEncoder(w).Encode(slip)
}
