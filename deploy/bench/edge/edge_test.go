package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ropeline/ropeline/admission/lottery"
)

// The wire reads answers with a length and chunked ones, one after the other on one connection.
func TestWireReadsBothForms(t *testing.T) {
	long := strings.Repeat("0123456789", 2000)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/chunked" {
			w.WriteHeader(http.StatusServiceUnavailable)
			w.(http.Flusher).Flush()
			_, _ = w.Write([]byte(long))
			return
		}
		_, _ = w.Write([]byte("short"))
	}))
	defer s.Close()
	w, err := dial(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer w.conn.Close()
	w.keep = true
	for range 2 {
		for path, want := range map[string]string{"/": "short", "/chunked": long} {
			if status, err := w.ask(request(http.MethodGet, path, "Accept: */*\r\n")); err != nil || string(w.body) != want || (status == 503) != (path == "/chunked") {
				t.Errorf("%s: %d, %d bytes, %v", path, status, len(w.body), err)
			}
		}
	}
}

// A drive by count asks for every number once; one whose answers are wrong is no measurement.
func TestDriveCounts(t *testing.T) {
	var mu sync.Mutex
	seen := map[string]int{}
	var refuse atomic.Bool
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen[r.URL.Path]++
		mu.Unlock()
		if refuse.Load() {
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}))
	defer s.Close()
	l := load{address: s.Listener.Addr().String(), connections: 3, count: 50, want: 200,
		request: func(n int64) []byte { return request(http.MethodGet, fmt.Sprintf("/%d", n), "") }}
	got, err := drive(t.Context(), l)
	if err != nil || got.good != 50 || len(seen) != 50 || got.took <= 0 {
		t.Errorf("%+v, %v, %d paths", got, err, len(seen))
	}
	refuse.Store(true)
	if _, err := drive(t.Context(), l); err == nil || !strings.Contains(err.Error(), "429") {
		t.Errorf("a drive of refusals: %v", err)
	}
}

// What verify times is a draw that holds.
func TestTheDrawHolds(t *testing.T) {
	_, list, err := draw(t.TempDir(), 1000)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(list)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if leaves, err := lottery.ReadList(f); err != nil || len(leaves) != 1000 {
		t.Errorf("%d leaves, %v", len(leaves), err)
	}
}

func TestFlags(t *testing.T) {
	for args, want := range map[string]string{"-only holds": "not one of", "-seconds 0": "positive", "-people 5": "10,000", "more": "no other words"} {
		if _, err := parse(strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
	if o, err := parse(strings.Fields("-only size,loss -people 20000")); err != nil || !o.only["size"] || o.people != 20_000 {
		t.Errorf("%+v %v", o, err)
	}
}

// Every one is called, and the first error is what comes back.
func TestEach(t *testing.T) {
	var n atomic.Int64
	err := each(100, 7, func(i int) error {
		n.Add(1)
		if i == 3 {
			return context.DeadlineExceeded
		}
		return nil
	})
	if n.Load() != 100 || err != context.DeadlineExceeded {
		t.Errorf("%d calls, %v", n.Load(), err)
	}
}
