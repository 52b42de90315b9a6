package drive

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
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
	w, err := Dial(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	w.Keep = true
	for range 2 {
		for path, want := range map[string]string{"/": "short", "/chunked": long} {
			if status, err := w.Ask(Request(http.MethodGet, path, "Accept: */*\r\n")); err != nil || string(w.Body) != want || (status == 503) != (path == "/chunked") {
				t.Errorf("%s: %d, %d bytes, %v", path, status, len(w.Body), err)
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
	l := Load{Address: s.Listener.Addr().String(), Connections: 3, Count: 50, Want: 200,
		Request: func(n int64) []byte { return Request(http.MethodGet, fmt.Sprintf("/%d", n), "") }}
	got, err := Run(t.Context(), l)
	if err != nil || got.Good != 50 || len(seen) != 50 || got.Took <= 0 {
		t.Errorf("%+v, %v, %d paths", got, err, len(seen))
	}
	refuse.Store(true)
	if _, err := Run(t.Context(), l); err == nil || !strings.Contains(err.Error(), "429") {
		t.Errorf("a drive of refusals: %v", err)
	}
}
