package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// Visitor is a person's program: it carries its tokens in headers.
type Visitor struct {
	Ticket, Pass string
	Index        int64
	Client       *http.Client // nil: a shared one
	Told         *Told        // where every place shown is noted; nil: nowhere
}

// shared keeps a connection for each of many visitors.
var shared = &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConns: 4096, MaxIdleConnsPerHost: 2048, DisableCompression: true}}

// Answer is what is used of an answer to a visitor.
type Answer struct {
	Status     int
	RetryAfter string

	State           string
	Code            string
	Index, Place, X int64
	Epoch           int64
	RetryInMS       int64  `json:"retry_in_ms"`
	TicketBody      string `json:"ticket"`
}

// Do makes one request with the visitor's tokens and keeps those of the answer.
func (v *Visitor) Do(ctx context.Context, method, url string) (a Answer, err error) {
	c := v.Client
	if c == nil {
		c = shared
	}
	a.Index, a.Place = -1, -1
	h := http.Header{"Accept": {"application/json"}, "Ropeline-Ticket": {v.Ticket}}
	if v.Pass != "" {
		h.Set("Ropeline-Pass", v.Pass)
	}
	began := time.Now()
	resp, err := call(ctx, c, method, url, h, &a)
	if err != nil {
		return a, err
	}
	v.Told.note(v, began, a.Place)
	a.Status, a.RetryAfter = resp.StatusCode, resp.Header.Get("Retry-After")
	if t := resp.Header.Get("Ropeline-Ticket"); t != "" {
		v.Ticket = t
	}
	if p := resp.Header.Get("Ropeline-Pass"); p != "" {
		v.Pass = p
	}
	return a, nil
}

// Join takes a place at an edge.
func (v *Visitor) Join(ctx context.Context, edge string) (Answer, error) {
	a, err := v.Do(ctx, http.MethodGet, edge+"/")
	if err == nil {
		v.Index = a.Index
	}
	return a, err
}

// Post asks one of the room's own addresses: heartbeat, knock, enter, renew, leave.
func (v *Visitor) Post(ctx context.Context, edge, what string) (Answer, error) {
	return v.Do(ctx, http.MethodPost, edge+Reserved+what)
}

// Enter asks until the visitor is in, as often as it is told to. It gives up with ctx.
func (v *Visitor) Enter(ctx context.Context, edges ...string) (Answer, error) {
	for i := 0; ; i++ {
		a, err := v.Post(ctx, edges[i%len(edges)], "enter")
		if err == nil && a.Status == http.StatusOK {
			return a, nil
		}
		if err == nil && (a.State == "used" || a.State == "closed" || a.Status == http.StatusUnauthorized) {
			return a, fmt.Errorf("entering ended with %d %s %s", a.Status, a.State, a.Code)
		}
		wait := time.Duration(a.RetryInMS) * time.Millisecond
		if s, err := strconv.Atoi(a.RetryAfter); wait == 0 && err == nil {
			wait = time.Duration(s) * time.Second
		}
		wait = min(max(wait, 50*time.Millisecond), 2*time.Second)
		select {
		case <-ctx.Done():
			return a, fmt.Errorf("not let in: %w; the last answer: %d %s %s, %v", ctx.Err(), a.Status, a.State, a.Code, err)
		case <-time.After(wait):
		}
	}
}

// Visit goes to the origin with the pass.
func (v *Visitor) Visit(ctx context.Context, edge string) (Answer, error) {
	return v.Do(ctx, http.MethodGet, edge+"/hello")
}

const maxAnswer = 1 << 20

// call makes a request and decodes a JSON body into out, whatever the status; other bodies are read and dropped.
func call(ctx context.Context, c *http.Client, method, url string, h http.Header, out any) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		return nil, err
	}
	for k, v := range h {
		if v[0] != "" {
			req.Header[k] = v
		}
	}
	resp, err := c.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	if len(body) > 0 && body[0] == '{' {
		if err := json.Unmarshal(body, out); err != nil {
			return nil, fmt.Errorf("%s %s: %s: %w: %.200s", method, url, resp.Status, err, body)
		}
	}
	return resp, nil
}
