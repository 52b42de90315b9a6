package captcha

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sort"
	"strings"
	"time"
)

// Verifier says whether a token proves a person.
type Verifier interface {
	// Verify returns nil, an error that is ErrRefused, or one that is ErrUnavailable: nobody can say.
	Verify(ctx context.Context, token, address string) error
}

var (
	// ErrRefused: the service knows the token and says no, or there was none.
	ErrRefused = errors.New("the CAPTCHA was not solved")
	// ErrUnavailable: the service did not answer, or not in its own terms. It says nothing about the visitor.
	ErrUnavailable = errors.New("the CAPTCHA service cannot be asked")
)

const (
	// Timeout bounds one question: a newcomer waits for it.
	Timeout  = 3 * time.Second
	maxToken = 4096
	maxReply = 64 << 10
)

// Service is what is fixed about a CAPTCHA service.
type Service struct {
	Script string   // of the widget
	Class  string   // of the element it fills
	Hosts  []string // sources the page's policy has to admit
	Verify string   // its siteverify address
}

// Services by the name that a configuration uses.
var Services = map[string]Service{
	"turnstile": {Script: "https://challenges.cloudflare.com/turnstile/v0/api.js", Class: "cf-turnstile", Hosts: []string{"https://challenges.cloudflare.com"},
		Verify: "https://challenges.cloudflare.com/turnstile/v0/siteverify"},
	"hcaptcha": {Script: "https://js.hcaptcha.com/1/api.js", Class: "h-captcha", Hosts: []string{"https://hcaptcha.com", "https://*.hcaptcha.com"},
		Verify: "https://api.hcaptcha.com/siteverify"},
}

// notTheirs are complaints about our own secret or of the service about itself: nobody must be shut out for them. They are
// named one by one, since others that sound alike are brought about by the token: sitekey-secret-mismatch by one that was
// solved on another site, not-using-dummy-secret by the one of the testing key, bad-request by garbage.
var notTheirs = map[string]bool{"missing-input-secret": true, "invalid-input-secret": true, "internal-error": true}

// Names lists the services.
func Names() string {
	out := make([]string, 0, len(Services))
	for name := range Services {
		out = append(out, name)
	}
	sort.Strings(out)
	return strings.Join(out, ", ")
}

// Siteverify asks a service that takes secret, response and remoteip as a form and answers {"success": bool}.
type Siteverify struct {
	URL    string
	Secret string
	Client *http.Client // nil: the default one
}

// Verify is one question, without a second try: whoever waits for it may simply ask again.
func (s Siteverify) Verify(ctx context.Context, token, address string) error {
	if token == "" || len(token) > maxToken {
		return fmt.Errorf("%w: no token", ErrRefused)
	}
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	form := url.Values{"secret": {s.Secret}, "response": {token}}
	if address != "" {
		form.Set("remoteip", address)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, strings.NewReader(form.Encode()))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	client := s.Client
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	defer resp.Body.Close()
	var said struct {
		Success *bool    `json:"success"`
		Errors  []string `json:"error-codes"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxReply)).Decode(&said); err != nil || said.Success == nil {
		return fmt.Errorf("%w: status %d, %w", ErrUnavailable, resp.StatusCode, errors.Join(err))
	}
	if *said.Success {
		return nil
	}
	for _, code := range said.Errors {
		if notTheirs[code] {
			return fmt.Errorf("%w: %s", ErrUnavailable, code)
		}
	}
	return fmt.Errorf("%w: %s", ErrRefused, strings.Join(said.Errors, ", "))
}
