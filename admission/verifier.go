package admission

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

const (
	jwksMaxAge  = 5 * time.Minute  // as its Cache-Control says
	jwksRetry   = 10 * time.Second // between two fetches, whatever strangers put into kid
	jwksTimeout = 3 * time.Second
	maxJWKS     = 64 << 10
)

// Options of a [Verifier].
type Options struct {
	JWKSURL    string       // required, e.g. http://edge/.well-known/ropeline/boxoffice/jwks.json
	Room       string       // required: passes of other rooms are refused
	HTTPClient *http.Client // default: one with a 3 s timeout
}

// Verifier checks passes for an origin. It starts nothing: keys are fetched by the first request that needs them,
// again when they are 5 minutes old or a pass names an unknown key, and at most once in 10 s. While the edge cannot
// be asked, the keys at hand go on working.
type Verifier struct {
	opt     Options
	checker *Checker
	mu      sync.Mutex // held while fetching
	keys    atomic.Pointer[keySet]
	tried   atomic.Int64 // unix ns of the last attempt
}

type keySet struct {
	keys    map[string]*Key
	fetched time.Time
	err     error // of the last attempt, for the message when there are no keys
}

// NewVerifier checks the options; it does no I/O.
func NewVerifier(o Options) (*Verifier, error) {
	u, err := url.Parse(o.JWKSURL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, fmt.Errorf("pass verifier: JWKS URL %q: want http(s)://<edge>/.well-known/ropeline/<room>/jwks.json", o.JWKSURL)
	}
	if o.Room == "" {
		return nil, errors.New("pass verifier: the room is empty: name the room whose passes are accepted")
	}
	if o.HTTPClient == nil {
		o.HTTPClient = &http.Client{Timeout: jwksTimeout}
	}
	v := &Verifier{opt: o}
	v.keys.Store(&keySet{})
	v.checker = newChecker(o.Room, v.finder)
	return v, nil
}

// Verify returns the pass if it is good at now. The error is an [*Invalid]; its reason is "unavailable" only when no
// key could be fetched so far, which an origin should answer with 503 and not with 403.
func (v *Verifier) Verify(token string, now time.Time) (Pass, error) {
	return v.checker.Verify(token, now)
}

func (v *Verifier) finder(now time.Time) findKey {
	return func(kid string) (*Key, error) {
		set := v.keys.Load()
		if k := set.keys[kid]; k != nil {
			if now.Sub(set.fetched) > jwksMaxAge {
				set = v.refresh(now, false)
				if k = set.keys[kid]; k == nil {
					return nil, invalid(ReasonKey, "key %q is no longer published", clip(kid))
				}
			}
			return k, nil
		}
		set = v.refresh(now, true)
		if k := set.keys[kid]; k != nil {
			return k, nil
		}
		if len(set.keys) == 0 {
			return nil, &Invalid{Reason: ReasonUnavailable, Detail: "no keys from " + v.opt.JWKSURL, Err: set.err}
		}
		return nil, invalid(ReasonKey, "no pass key %q", clip(kid))
	}
}

// refresh fetches unless somebody did within jwksRetry. Only a caller that has no key waits for another's fetch.
func (v *Verifier) refresh(now time.Time, wait bool) *keySet {
	if wait {
		v.mu.Lock()
	} else if !v.mu.TryLock() {
		return v.keys.Load()
	}
	defer v.mu.Unlock()
	old := v.keys.Load()
	if last := v.tried.Load(); last != 0 && now.Sub(time.Unix(0, last)) < jwksRetry {
		return old
	}
	v.tried.Store(now.UnixNano())
	keys, err := v.fetch()
	next := &keySet{keys: keys, fetched: now}
	if err != nil {
		next = &keySet{keys: old.keys, fetched: old.fetched, err: err}
	}
	v.keys.Store(next)
	return next
}

func (v *Verifier) fetch() (map[string]*Key, error) {
	ctx, cancel := context.WithTimeout(context.Background(), jwksTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, v.opt.JWKSURL, nil)
	if err != nil {
		return nil, err
	}
	resp, err := v.opt.HTTPClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %s", v.opt.JWKSURL, resp.Status)
	}
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxJWKS))
	if err != nil {
		return nil, err
	}
	return parseJWKS(b)
}
