package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/ropeline/ropeline/deploy/stack"
)

const (
	// crowdSize people are always waiting: at one a second a person who comes waits about as many seconds.
	crowdSize = 25
	// Inside they look around for a while and leave.
	lookMin, lookMax = 5 * time.Second, 25 * time.Second
	// politeMin is how often a waiting visitor asks at most, whatever the edge proposes.
	politeMin = 500 * time.Millisecond
)

// crowd are visitors who queue, look and leave. They buy nothing: every seat is left to the person at the keyboard.
type crowd struct {
	edge   string
	client *http.Client
	wg     sync.WaitGroup
}

func startCrowd(ctx context.Context, s *stack.Stack) *crowd {
	c := &crowd{edge: s.EdgeURL(), client: &http.Client{Timeout: 15 * time.Second}}
	for range crowdSize {
		c.wg.Go(func() {
			for ctx.Err() == nil {
				c.visit(ctx)
			}
		})
	}
	return c
}

func (c *crowd) wait() {
	if c != nil {
		c.wg.Wait()
		c.client.CloseIdleConnections()
	}
}

// visit is one visitor's way: come, wait for the turn, come in; then another comes while this one looks around.
func (c *crowd) visit(ctx context.Context) {
	v := visitor{crowd: c}
	v.ask(ctx, http.MethodGet, "/")
	for v.ticket != "" && ctx.Err() == nil {
		answer := v.ask(ctx, http.MethodPost, reserved+"enter")
		if answer.State == "in" {
			c.wg.Go(func() { v.look(ctx) })
			return
		}
		pause(ctx, max(politeMin, time.Duration(answer.RetryInMS)*time.Millisecond))
	}
	pause(ctx, time.Second) // no ticket: the edge is away or refuses new visitors
}

const reserved = "/.well-known/ropeline/" + stack.Room + "/"

type visitor struct {
	*crowd
	ticket, pass string
}

func (v *visitor) look(ctx context.Context) {
	v.ask(ctx, http.MethodGet, "/v1/events")
	pause(ctx, lookMin+rand.N(lookMax-lookMin))
	v.ask(context.WithoutCancel(ctx), http.MethodPost, reserved+"leave") // also when the demo ends: nobody is left inside
}

type answer struct {
	State     string `json:"state"`
	RetryInMS int64  `json:"retry_in_ms"`
}

// ask sends one request as an app without cookies would, and keeps the ticket and the pass it is given. An edge that does
// not answer is as good as an empty answer: the visitor comes again.
func (v *visitor) ask(ctx context.Context, method, path string) (a answer) {
	req, err := http.NewRequestWithContext(ctx, method, v.edge+path, bytes.NewReader(nil))
	if err != nil {
		return a
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Ropeline-Ticket", v.ticket)
	if v.pass != "" {
		req.Header.Set("Ropeline-Pass", v.pass)
	}
	resp, err := v.client.Do(req)
	if err != nil {
		return a
	}
	defer resp.Body.Close()
	if t := resp.Header.Get("Ropeline-Ticket"); t != "" {
		v.ticket = t
	}
	if p := resp.Header.Get("Ropeline-Pass"); p != "" {
		v.pass = p
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err == nil {
		_ = json.Unmarshal(body, &a) // an answer of the origin is no answer of the line
	}
	return a
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
