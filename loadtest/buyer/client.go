package buyer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ropeline/ropeline/loadtest/history"
)

const (
	callLimit   = 30 * time.Second // of one request; a navigation may be kept for 10 s by the edge
	maxBody     = 8 << 20          // bytes read of an answer
	connections = 1500             // at once, of the whole crowd: far below 20,000 descriptors on both sides
)

// newTransport is shared by the crowd. A browser has its own connections; two
// thousand of them here would measure this process and not the edge. Bodies are
// asked for as they are, since unpacking two thousand pages proves nothing.
func newTransport() *http.Transport {
	return &http.Transport{
		MaxIdleConns: connections, MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections,
		IdleConnTimeout: 30 * time.Second, DisableCompression: true,
	}
}

// client is one person's browser: cookies, account, and a history of its own.
type client struct {
	id      int
	edge    string
	http    *http.Client
	history *history.Writer
	account string // bearer token

	mu      sync.Mutex
	cookies map[string]string
}

// request is one operation. F names it in the history.
type request struct {
	f, method, path string
	body            any    // sent as JSON
	form            string // or sent as a form
	key             string // Idempotency-Key
	target          string // what it is about, for the checks: the hold that a release gives back
	navigate        bool   // as a browser's top-level navigation
}

// reply is what came back. status is 0 when nothing did.
type reply struct {
	history.Answer
	body       []byte
	location   string
	retryAfter time.Duration
}

// good says that the operation was acknowledged.
func (r reply) good() bool { return r.Status >= 200 && r.Status < 400 && !r.Wait }

// decode reads the document of an answer; a broken one leaves zero values, with
// which nobody can go on.
func (r reply) decode(into any) { _ = json.Unmarshal(r.body, into) }

func (c *client) do(ctx context.Context, q request) reply {
	op := c.history.Begin(c.id, q.f, history.Call{Method: q.method, Path: q.path, Key: q.key, Target: q.target})
	r, err := c.send(ctx, q)
	if err != nil {
		r = reply{Answer: history.Answer{Error: err.Error()}}
	}
	op.End(ending(r), r.Answer)
	return r
}

// ending tells a refusal from an answer after which nobody knows: a 5xx that does
// not name its reason, or names this one.
func ending(r reply) history.Type {
	switch {
	case r.good():
		return history.OK
	case r.Status == 0, r.Code == "outcome_unknown", r.Status >= 500 && r.Code == "" && !r.Wait:
		return history.Info
	}
	return history.Fail
}

func (c *client) send(ctx context.Context, q request) (reply, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	req, err := c.build(ctx, q)
	if err != nil {
		return reply{}, err
	}
	answer, err := c.http.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxBody))
	if err != nil {
		return reply{}, fmt.Errorf("the answer broke off: %w", err)
	}
	c.keep(answer.Cookies())
	r := reply{body: body, location: answer.Header.Get("Location")}
	r.Status, r.Wait = answer.StatusCode, answer.Header.Get("Ropeline-Answer") == "wait"
	if strings.Contains(answer.Header.Get("Content-Type"), "json") {
		var doc struct {
			Code, State, ID string
			Place           *int64
		}
		_ = json.Unmarshal(body, &doc) // a list has none of them
		r.Code, r.State, r.ID, r.Place = doc.Code, doc.State, doc.ID, doc.Place
	}
	if q.key != "" && r.good() {
		sum := sha256.Sum256(body)
		r.Hash = hex.EncodeToString(sum[:])
	}
	if s, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil && s > 0 {
		r.retryAfter = time.Duration(s) * time.Second
	}
	return r, nil
}

func (c *client) build(ctx context.Context, q request) (*http.Request, error) {
	var body io.Reader
	switch {
	case q.body != nil:
		b, err := json.Marshal(q.body)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(b)
	case q.form != "":
		body = strings.NewReader(q.form)
	}
	req, err := http.NewRequestWithContext(ctx, q.method, c.edge+q.path, body)
	if err != nil {
		return nil, err
	}
	h := req.Header
	h.Set("Accept", "application/json")
	if q.navigate {
		h.Set("Accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8")
		h.Set("Sec-Fetch-Mode", "navigate")
		h.Set("Sec-Fetch-Dest", "document")
		h.Set("Sec-Fetch-Site", "none")
	} else {
		h.Set("Sec-Fetch-Mode", "cors")
		h.Set("Sec-Fetch-Dest", "empty")
		h.Set("Sec-Fetch-Site", "same-origin")
	}
	switch {
	case q.body != nil:
		h.Set("Content-Type", "application/json")
	case q.form != "":
		h.Set("Content-Type", "application/x-www-form-urlencoded")
		h.Set("Origin", c.edge)
	}
	if q.key != "" {
		h.Set("Idempotency-Key", q.key)
	}
	if c.account != "" {
		h.Set("Authorization", "Bearer "+c.account)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, value := range c.cookies {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	return req, nil
}

// keep is a cookie jar for one host. net/http/cookiejar would cost more than the
// requests of a person who only polls.
func (c *client) keep(set []*http.Cookie) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cookie := range set {
		if cookie.MaxAge < 0 || cookie.Value == "" {
			delete(c.cookies, cookie.Name)
		} else {
			c.cookies[cookie.Name] = cookie.Value
		}
	}
}

func (c *client) has(part string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name := range c.cookies {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}
