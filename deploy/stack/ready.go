package stack

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

const (
	// readyLimit bounds one start. A first start of PostgreSQL on a slow disk takes seconds; a minute is a broken one.
	readyLimit = 60 * time.Second
	// readyEvery is how often a readiness check is tried.
	readyEvery = 50 * time.Millisecond
)

// Await tries check until it succeeds, the child ends, or the time is up. The last error of check goes into the message.
func Await(ctx context.Context, c *Child, check func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	tick := time.NewTicker(readyEvery)
	defer tick.Stop()
	for {
		err := check(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-c.Done():
			return c.Failed()
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready (%w): %v; the end of %s:\n%s", c.Name(), ctx.Err(), err, c.Log(), c.Tail())
		case <-tick.C:
		}
	}
}

// Answers is the check for a program with HTTP: a 2xx of the address.
func Answers(url string) func(context.Context) error {
	return Says(url, "")
}

// Says is Answers for an answer that may still say that the program is not ready.
func Says(url, notYet string) func(context.Context) error {
	client := &http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	return func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
		if resp.StatusCode/100 != 2 || notYet != "" && strings.Contains(string(body), notYet) {
			return fmt.Errorf("GET %s: %s: %s", url, resp.Status, body)
		}
		return nil
	}
}

// Listens is the check for a program without HTTP.
func Listens(addr string) func(context.Context) error {
	return func(ctx context.Context) error {
		conn, err := (&net.Dialer{Timeout: 2 * time.Second}).DialContext(ctx, "tcp", addr)
		if err != nil {
			return err
		}
		return conn.Close()
	}
}
