package readpath

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// event reads one server-sent event as kind, id and data.
func event(t *testing.T, r *bufio.Reader) (kind, id, data string) {
	t.Helper()
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch name {
		case "event":
			kind = value
		case "id":
			id = value
		case "data":
			data = value
		case "":
			if data != "" {
				return kind, id, data
			}
		}
	}
}

func TestStreamTellsOfEachChange(t *testing.T) {
	tr := newTruth("a")
	s := newShelf(tr)
	failed := make(chan error, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { failed <- s.ServeStream(w, r, "a") }))
	defer server.Close()
	follow := func(last string) (*bufio.Reader, context.CancelFunc) {
		ctx, cancel := context.WithCancel(t.Context())
		req, _ := http.NewRequestWithContext(ctx, "GET", server.URL, nil)
		if last != "" {
			req.Header.Set("Last-Event-ID", last)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = resp.Body.Close() })
		return bufio.NewReader(resp.Body), cancel
	}
	r, stop := follow("")
	kind, first, _ := event(t, r)
	if kind != "map" || first != "0.0" {
		t.Fatalf("began with %s %s", kind, first)
	}
	tr.commit("a", held(3, tr.clock().Add(time.Hour)))
	tr.pass(Life)
	step(t, s)
	if kind, id, data := event(t, r); kind != "delta" || id != "1.0" || !strings.Contains(data, `"changes":[[3,1]]`) {
		t.Errorf("then %s %s %s", kind, id, data)
	}
	stop()
	if err := <-failed; err != nil {
		t.Error(err)
	}
	r, stop = follow(first)
	defer stop()
	defer func() {
		s.EndStreams()
		s.EndStreams()
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}()
	if kind, id, _ := event(t, r); kind != "delta" || id != "1.0" {
		t.Errorf("who comes back at %s gets %s %s", first, kind, id)
	}
}

func TestStreamsAreBounded(t *testing.T) {
	s := newShelf(newTruth("a"))
	s.streams.Store(MaxStreams)
	w := httptest.NewRecorder()
	if err := s.ServeStream(w, httptest.NewRequestWithContext(t.Context(), "GET", "/", nil), "a"); !errors.Is(err, ErrFull) || w.Body.Len() > 0 {
		t.Errorf("one too many: %v, %q", err, w.Body)
	}
	if err := s.ServeStream(w, httptest.NewRequestWithContext(t.Context(), "GET", "/", nil), "b"); !errors.Is(err, ErrUnknown) {
		t.Errorf("unknown: %v", err)
	}
	if s.streams.Load() != MaxStreams {
		t.Error("a refused stream is counted")
	}
}
