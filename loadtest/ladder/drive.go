package ladder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"sync"
	"time"
)

const (
	patience  = 10 * time.Second // of a person, for one answer
	maxBody   = 8 << 20          // bytes of an answer that are read
	warmUp    = 0.25             // of a step: not judged
	maxPeople = 50_000           // at once
	maxConns  = 2000
)

// driver sends people to one origin.
type driver struct {
	origin string // without a slash at its end
	visit  Visit
	header http.Header
	client http.RoundTripper
	random *rand.Rand
}

func newDriver(c *Config) *driver {
	t := &http.Transport{
		DialContext:     (&net.Dialer{Timeout: patience}).DialContext,
		MaxConnsPerHost: maxConns, MaxIdleConnsPerHost: maxConns, IdleConnTimeout: 30 * time.Second,
	}
	return &driver{origin: strings.TrimRight(c.Origin, "/"), visit: c.Visit, header: c.Header, client: t, random: rand.New(rand.NewPCG(c.Seed, 0))}
}

// step lets people come at a rate for a while. People of all ages are there at its beginning, as if it had always gone
// on like that; the first quarter, in which the origin gets used to it, is not judged.
func (d *driver) step(ctx context.Context, rate float64, length time.Duration) (Result, error) {
	if rate*d.visit.Length().Seconds() > maxPeople {
		return Result{}, fmt.Errorf("%.0f people a second for %s each are more than %d at once, which one machine does not play: shorten the visit", rate, d.visit.Length(), maxPeople)
	}
	t := &tally{kinds: map[string]*mean{}, why: map[string]int{}}
	ctx, cancel := context.WithTimeout(ctx, length+patience)
	defer cancel()
	begin := time.Now()
	judged := begin.Add(time.Duration(warmUp * float64(length)))
	end := begin.Add(length)
	var people sync.WaitGroup
	for at := -d.visit.Length().Seconds(); ; {
		at += d.random.ExpFloat64() / rate
		if at >= length.Seconds() {
			break
		}
		p := person{d: d, t: t, came: begin.Add(time.Duration(at * float64(time.Second))), begin: begin, judged: judged, end: end, luck: rand.New(rand.NewPCG(d.random.Uint64(), 1))}
		if at > 0 && !sleep(ctx, time.Until(p.came)) {
			break
		}
		people.Go(func() { p.visit(ctx) })
	}
	people.Wait()
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return Result{}, err
	}
	return t.result(rate, end.Sub(judged)), nil
}

func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// person makes one visit. One who came before the step began has made a part of it already.
type person struct {
	d                  *driver
	t                  *tally
	came               time.Time
	begin, judged, end time.Time // of the step
	luck               *rand.Rand
}

func (p *person) visit(ctx context.Context) {
	jar, _ := cookiejar.New(nil)
	client := &http.Client{Transport: p.d.client, Jar: jar, CheckRedirect: func(_ *http.Request, via []*http.Request) error {
		if len(via) >= 5 {
			return errors.New("more than five redirects")
		}
		return nil
	}}
	due := p.came
	for i := range p.d.visit {
		s := &p.d.visit[i]
		if p.luck.Float64() >= s.Share || due.After(p.end) {
			return
		}
		if !due.Before(p.begin) {
			if !sleep(ctx, time.Until(due)) || !p.ask(ctx, client, s, due) {
				return // a person who gets an error goes
			}
			if took := time.Since(due); took > 0 {
				due = due.Add(took) // people think when they have the answer
			}
		}
		due = due.Add(time.Duration((0.5 + p.luck.Float64()) * float64(s.Think)))
	}
}

// ask sends one request and says whether its answer was good.
func (p *person) ask(ctx context.Context, client *http.Client, s *Step, due time.Time) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, s.Method, p.d.origin+s.Path, strings.NewReader(s.Body))
	if err != nil {
		p.t.answered(s.Kind, 0, err.Error())
		return false
	}
	for name, values := range p.d.header {
		r.Header[name] = values
	}
	if s.Body != "" && r.Header.Get("Content-Type") == "" {
		r.Header.Set("Content-Type", contentType(s.Body))
	}
	r.Header.Set("User-Agent", "ropeline-loadtest")
	sent := time.Now()
	failure := ""
	resp, err := client.Do(r)
	if err == nil {
		_, err = io.Copy(io.Discard, io.LimitReader(resp.Body, maxBody))
		resp.Body.Close()
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		failure = fmt.Sprintf("no answer within %s", patience)
	case err != nil:
		failure = cause(err)
	case resp.StatusCode >= 400:
		failure = fmt.Sprintf("%s answers %d", s.Path, resp.StatusCode)
	}
	if sent.After(p.judged) && sent.Before(p.end) {
		p.t.sending(sent.Sub(due))
		p.t.answered(s.Kind, time.Since(sent), failure)
	}
	return failure == ""
}

func contentType(body string) string {
	if strings.HasPrefix(body, "{") || strings.HasPrefix(body, "[") {
		return "application/json"
	}
	return "application/x-www-form-urlencoded"
}

// cause is an error without the address and the port that differ each time.
func cause(err error) string {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err.Error()
}
