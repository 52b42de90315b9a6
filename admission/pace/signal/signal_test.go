package signal

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/telemetry"
)

// instance is one process of an origin.
type instance struct {
	mu     sync.Mutex
	answer telemetry.Answer
	asked  []*http.Request
	status int
}

func (i *instance) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.asked = append(i.asked, r)
	if i.status != 0 {
		w.Header().Set("Location", "http://127.0.0.1:1/")
		w.WriteHeader(i.status)
	}
	_ = json.NewEncoder(w).Encode(i.answer)
}

func (i *instance) says(at time.Time, busy, done float64) {
	i.mu.Lock()
	defer i.mu.Unlock()
	wait := 0.02 * busy
	i.answer.At = at
	i.answer.LockWait = &wait
	i.answer.Resources = map[string]telemetry.Resource{"db": {BusySeconds: busy, Capacity: 10, Waiting: 1, Completed: map[string]float64{"page": done, "walk": 9}}}
	i.answer.Stock = &telemetry.Stock{Available: 7, Held: 2, Sold: 1, Total: 10, Expiring: []int64{0, 2}}
}

// A name with two addresses is two instances: each is asked, at the name's port, with the secret, and what they did is
// added up. Their clocks are minutes off and do not matter.
func TestInstancesOfOneName(t *testing.T) {
	began := time.Now()
	ins := []*instance{{}, {}}
	var port string
	for k, i := range ins {
		i.answer = telemetry.Answer{Instance: fmt.Sprint("i", k), StartedAt: began.Add(-time.Hour)}
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.%d:%s", k+1, or(port, "0")))
		if err != nil {
			t.Fatal(err)
		}
		_, port, _ = net.SplitHostPort(l.Addr().String())
		srv := &http.Server{Handler: i}
		go func() { _ = srv.Serve(l) }()
		t.Cleanup(func() { srv.Close() })
	}
	p := NewPoller(Sources{URLs: []string{"http://shop.internal:" + port + "/telemetry"}, Header: http.Header{"Authorization": {"Bearer s"}}})
	p.look = func(context.Context, string) ([]string, error) { return []string{"127.0.0.2", "127.0.0.1"}, nil }
	var ear Ear
	now := time.Date(2026, 6, 1, 19, 0, 0, 0, time.UTC) // the controller's
	skew := []time.Duration{-5 * time.Minute, 40 * time.Second}
	poll := func(second int) {
		for k, i := range ins {
			i.says(began.Add(skew[k]+time.Duration(second)*time.Second), float64(second*(k+1)), float64(100*second))
		}
		p.Poll(t.Context())
		local := time.Now()
		ear.Hear(p, now.Add(time.Duration(second)*time.Second), local)
	}
	poll(2)
	if r := ear.Reading("db", now.Add(2*time.Second)); !r.At.IsZero() {
		t.Errorf("one answer makes a reading: %+v", r)
	}
	poll(4)
	r := ear.Reading("db", now.Add(4*time.Second))
	near := func(a, b float64) bool { return a > 0.99*b && a < 1.01*b } // answers take a moment to arrive
	if !near(r.Seconds, 2) || !near(r.Busy, 6) || r.Capacity != 20 || r.Waiting != 2 || !near(r.Done[pace.Page], 400) {
		t.Errorf("two instances did %+v", r)
	}
	if age := now.Add(4 * time.Second).Sub(r.At); age < 0 || age > time.Second {
		t.Errorf("the reading is %v old", age)
	}
	if ear.Lock.Value != 0.16 || ear.Stock.Available != 7 || ear.Stock.Expiring[1] != 2 {
		t.Errorf("lock wait %v, stock %+v", ear.Lock, ear.Stock)
	}
	if got := ins[0].asked[0]; got.Header.Get("Authorization") != "Bearer s" || got.Host != "shop.internal:"+port {
		t.Errorf("asked with %v of %s", got.Header, got.Host)
	}
	if s := p.Sources(time.Now()); len(s) != 2 || s[0].Err != "" || s[0].Age < 0 {
		t.Errorf("sources %+v", s)
	}
	// The same answer again is no news, however often it is told.
	for range 12 {
		p.Poll(t.Context())
		now = now.Add(time.Second)
		ear.Hear(p, now.Add(4*time.Second), time.Now())
	}
	if age := now.Add(4 * time.Second).Sub(ear.Stock.At); age < 11*time.Second {
		t.Errorf("a stuck answer is %v old", age)
	}
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// What an instance answers wrongly is said of it and counts for nothing; a redirect is not followed.
func TestWrongAnswers(t *testing.T) {
	i := &instance{answer: telemetry.Answer{Instance: "a", StartedAt: time.Now(), At: time.Now()}}
	srv := httptest.NewServer(i)
	defer srv.Close()
	p := NewPoller(Sources{URLs: []string{srv.URL}})
	var ear Ear
	for status, says := range map[int]string{http.StatusFound: "302", http.StatusInternalServerError: "500"} {
		i.status = status
		p.Poll(t.Context())
		if s := p.Sources(time.Now()); len(s) != 1 || !strings.Contains(s[0].Err, says) || s[0].Age >= 0 {
			t.Errorf("%d: %+v", status, s)
		}
	}
	i.status, i.answer.Instance = 0, ""
	p.Poll(t.Context())
	if s := p.Sources(time.Now()); !strings.Contains(s[0].Err, "instance is missing") {
		t.Errorf("%+v", s)
	}
	srv.Close()
	p.Poll(t.Context())
	if s := p.Sources(time.Now()); !strings.Contains(s[0].Err, "refused") {
		t.Errorf("%+v", s)
	}
	if ear.Hear(p, time.Now(), time.Now()); ear.Instances() != 0 {
		t.Error("something was heard")
	}
}

// When an instance's clock is set back, its answers count again as soon as its delays are known anew.
func TestClockSetBack(t *testing.T) {
	c := clock{}
	said, arrived := time.Unix(1000, 0), time.Unix(5000, 0)
	at := time.Time{}
	for i := range 30 {
		if i == 10 {
			said = said.Add(-time.Minute)
		}
		said, arrived = said.Add(2*time.Second), arrived.Add(2*time.Second)
		at = c.see(said, arrived)
		if old := arrived.Sub(at); (i < 10 || i >= 10+delays) && old != 0 {
			t.Errorf("answer %d is %v old", i, old)
		}
	}
}

func TestCheckURL(t *testing.T) {
	for _, u := range []string{"", "x", "ftp://a/b", "http:///x", "http://a/b#c"} {
		if CheckURL(u) == nil {
			t.Errorf("%q passes", u)
		}
	}
	if err := CheckURL((&url.URL{Scheme: "http", Host: "10.0.0.7:9090", Path: "/telemetry"}).String()); err != nil {
		t.Error(err)
	}
}
