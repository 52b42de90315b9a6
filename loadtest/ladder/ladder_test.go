package ladder

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const shop = `# a visit
page      GET  /events/summer?day=1 2s

hold:50%  POST /holds         4s {"seats": 2}
pay       POST /pay           0s card=4242&ok=1
`

func visit(t *testing.T, text string) Visit {
	t.Helper()
	v, err := Read(strings.NewReader(text), "visit")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAVisitIsReadAsItIsWritten(t *testing.T) {
	v := visit(t, shop)
	if len(v) != 3 || v[1] != (Step{Kind: "hold", Share: 0.5, Method: "POST", Path: "/holds", Body: `{"seats": 2}`, Think: 4 * time.Second}) || v[2].Body != "card=4242&ok=1" {
		t.Errorf("%+v", v)
	}
	if v.Length() != 6*time.Second {
		t.Errorf("%v long", v.Length())
	}
	if n, age := v.Requests("pay"); n != 0.5 || age != 6*time.Second {
		t.Errorf("%v payments a person at %v", n, age)
	}
	for text, want := range map[string]string{
		"": "no step", "page GET": "visit:1: write kind", "\nlook GET / 1s": `visit:2: kind "look"`, "page get / 1s": `method "get"`,
		"page GET shop 1s": "begin it with /", "page GET / soon": `time "soon"`, "page GET / 1h": "up to 10m", "page:0% GET / 1s": `share "0%"`, "page:2 GET / 1s": "share",
		strings.Repeat("page GET / 1s\n", maxSteps+1): "more than 100 steps", strings.Repeat("#", maxVisit+1): "more than 65536 bytes",
	} {
		if _, err := Read(strings.NewReader(text), "visit"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

// breaks is an origin whose answers get bad beyond a rate.
func breaks(at float64, tried *[]float64) stepper {
	return func(_ context.Context, rate float64, _ time.Duration) (Result, error) {
		*tried = append(*tried, rate)
		r := Result{Rate: rate, Asked: 1000, P99: 50 * time.Millisecond, Means: map[string]time.Duration{"page": 10 * time.Millisecond, "hold": 40 * time.Millisecond, "pay": 20 * time.Millisecond}}
		if rate > at {
			r.P99 = 3 * time.Second
		}
		return r, nil
	}
}

func TestAClimbEndsCloseBelowTheBreak(t *testing.T) {
	for _, at := range []float64{1, 3.3, 17, 240} {
		var tried []float64
		c := Config{Origin: "http://x", Visit: visit(t, shop), Step: time.Second}
		if err := c.check(); err != nil {
			t.Fatal(err)
		}
		climb, err := c.climb(t.Context(), breaks(at, &tried))
		if err != nil {
			t.Fatal(err)
		}
		if best := climb.Best.Rate; !climb.Broke || best > at || best < at/1.1 {
			t.Errorf("it breaks at %v, the best found is %v after %v", at, best, tried)
		}
	}
	// What is not broken is said to be that.
	var tried []float64
	c := Config{Origin: "http://x", Visit: visit(t, shop), Most: 5}
	if err := c.check(); err != nil {
		t.Fatal(err)
	}
	climb, err := c.climb(t.Context(), breaks(100, &tried))
	if err != nil || climb.Broke || climb.Best.Rate != 5 {
		t.Errorf("%+v, %v", climb, err)
	}
	if s := climb.Snippet(c.Visit, "origin"); !strings.Contains(s, "it did not break") {
		t.Error(s)
	}
}

func TestAClimbThatCannotBeJudgedSaysWhy(t *testing.T) {
	for want, r := range map[string]Result{
		"already 1 people a second are too many: 30.0% failed (no luck)": {Asked: 100, Failed: 0.3, Why: "no luck"},
		"only 7 answers": {Asked: 7},
		"this machine sends 800ms late: it is the limit and not the origin": {Asked: 100, Late: 800 * time.Millisecond},
	} {
		c := Config{Origin: "http://x", Visit: visit(t, shop)}
		if err := c.check(); err != nil {
			t.Fatal(err)
		}
		_, err := c.climb(t.Context(), func(context.Context, float64, time.Duration) (Result, error) { return r, nil })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for want, c := range map[string]Config{
		"write its address": {Origin: "localhost:9000"}, "at least one step": {Origin: "http://x"}, "factor 1": {Factor: 1}, "rising numbers": {From: 9, Most: 2},
		"step 1ms": {Step: time.Millisecond}, "objectives": {Errors: 2},
	} {
		if c.Origin == "" {
			c.Origin, c.Visit = "http://x", Look("/")
		}
		if _, err := Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// The values: a tenth to begin with, three times at most, costs as answers took, the first pages lighter than the rest.
func TestValuesToStartWith(t *testing.T) {
	c := Climb{Broke: true, Best: Result{Rate: 20}, Steps: []Result{{Means: map[string]time.Duration{"page": 10 * time.Millisecond, "hold": 40 * time.Millisecond, "pay": 20 * time.Millisecond}}}}
	want := `# From loadtest ladder: 20 people a second, the highest rate that met the objectives.
pace auto {
	safe_rate 120/min
	last_rate 1200/min
	ceiling 3600/min
	kind hold POST /holds
	kind pay POST /pay
	resource db {
		cost page 1 hold 4 pay 2
		work 4
		work_age 3s
	}
}
`
	if got := c.Snippet(visit(t, shop), "db"); got != want {
		t.Errorf("%s", got)
	}
}

// A real origin, which fails after so many requests, and real people: they keep their cookies, send what the visit says,
// go on only after a good answer, and all ages are there from the first second.
func TestPeopleAtARealOrigin(t *testing.T) {
	var asked, broken atomic.Int64
	var mu sync.Mutex
	bodies, cookies, payFirst := map[string]int{}, 0, 0
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) > 600 {
			broken.Add(1)
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		b, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		bodies[r.Method+" "+r.URL.String()+" "+r.Header.Get("Content-Type")+" "+string(b)]++
		if _, err := r.Cookie("session"); err == nil {
			cookies++
		} else if r.URL.Path == "/pay" {
			payFirst++
		}
		if r.Header.Get("X-Secret") != "s" {
			t.Error("the header is missing")
		}
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "1", Path: "/"})
	}))
	defer origin.Close()
	v := visit(t, "page GET /a 300ms\nhold POST /hold 300ms {\"n\":1}\npay POST /pay 0s x=1\n")
	climb, err := Run(t.Context(), Config{Origin: origin.URL + "/", Visit: v, From: 40, Factor: 2, Step: 2 * time.Second, Seed: 1, P99: time.Minute, Late: time.Minute,
		Header: http.Header{"X-Secret": {"s"}}})
	if err != nil {
		t.Fatal(err)
	}
	if !climb.Broke || climb.Best.Rate < 40 || broken.Load() == 0 {
		t.Errorf("%+v", climb)
	}
	last := climb.Steps[len(climb.Steps)-1]
	if last.Good || last.Failed < 0.5 || !strings.Contains(last.Verdict, "answers 503") {
		t.Errorf("the last step: %+v", last)
	}
	for _, want := range []string{"GET /a  ", "POST /hold application/json {\"n\":1}", "POST /pay application/x-www-form-urlencoded x=1"} {
		if bodies[want] < 20 {
			t.Errorf("%q was asked %d times: %v", want, bodies[want], bodies)
		}
	}
	if cookies == 0 || payFirst == 0 {
		t.Errorf("%d requests brought their cookie, %d people were at the end of their visit when the first step began", cookies, payFirst)
	}
}

func TestAStoppedClimbIsNoResult(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, Config{Origin: "http://127.0.0.1:1", Visit: Look("/")}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestTheTallyKnowsItsQuantiles(t *testing.T) {
	m := &tally{kinds: map[string]*mean{}, why: map[string]int{}}
	for i := range 1000 {
		m.answered("page", time.Duration(i+1)*time.Millisecond, "")
	}
	m.answered("page", time.Second, "bad")
	r := m.result(5, time.Second)
	if got := r.P99.Seconds(); math.Abs(got-0.99) > 0.09 || r.Asked != 1001 || r.Why != "bad" || r.Failed == 0 {
		t.Errorf("%+v", r)
	}
	if got := r.Means["page"]; got != 500500*time.Microsecond {
		t.Errorf("mean %v", got)
	}
}
