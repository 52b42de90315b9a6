package faults

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ropeline/ropeline/deploy/fleet"
)

const (
	eventStreams = 1_600 // of so many people inside, one each
	webSockets   = 400
	heartbeating = 200 // people in line meanwhile
	spread       = 10 * time.Second
)

// streams is an origin that keeps event streams and WebSockets open.
func streams(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Header.Get("Upgrade") != "":
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = rw.WriteString("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
		_ = rw.Flush()
		_, _ = io.Copy(io.Discard, conn)
	case strings.Contains(r.Header.Get("Accept"), "text/event-stream"):
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: hello\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	default:
		_, _ = io.WriteString(w, "hello\n")
	}
}

// open is a stream of somebody inside, until it is closed.
type open struct {
	rest  io.Reader
	close func() error
}

// events opens an event stream and reads its first event.
func events(ctx context.Context, c *http.Client, v *fleet.Visitor, e *fleet.Edge) (open, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, e.URL()+"/events", nil)
	if err != nil {
		return open{}, err
	}
	r.Header = http.Header{"Accept": {"text/event-stream"}, "Ropeline-Ticket": {v.Ticket}, "Ropeline-Pass": {v.Pass}}
	resp, err := c.Do(r)
	if err != nil {
		return open{}, err
	}
	rd := bufio.NewReader(resp.Body)
	if line, err := rd.ReadString('\n'); resp.StatusCode != http.StatusOK || line != "data: hello\n" {
		return open{}, errors.Join(fmt.Errorf("event stream: %s, %q", resp.Status, line), err, resp.Body.Close())
	}
	return open{rd, resp.Body.Close}, nil
}

// socket opens a WebSocket.
func socket(ctx context.Context, v *fleet.Visitor, e *fleet.Edge) (open, error) {
	conn, err := net.Dial("tcp", e.Addr())
	if err != nil {
		return open{}, err
	}
	context.AfterFunc(ctx, func() { conn.Close() })
	fmt.Fprintf(conn, "GET /ws HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nRopeline-Ticket: %s\r\nRopeline-Pass: %s\r\n\r\n",
		e.Addr(), v.Ticket, v.Pass)
	rd := bufio.NewReader(conn)
	resp, err := http.ReadResponse(rd, nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		return open{}, errors.Join(fmt.Errorf("WebSocket: %v", resp), err, conn.Close())
	}
	return open{rd, conn.Close}, nil
}

// each does something for many at once, and fails the test with the first few errors.
func each(t *testing.T, n int, f func(i int) error) {
	t.Helper()
	const at = 32
	var all sync.WaitGroup
	var mu sync.Mutex
	var errs []error
	next := make(chan int)
	for range at {
		all.Go(func() {
			for i := range next {
				if err := f(i); err != nil {
					mu.Lock()
					errs = append(errs, fmt.Errorf("%d: %w", i, err))
					mu.Unlock()
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
	if len(errs) > 0 {
		t.Fatalf("%d of %d failed: %v", len(errs), n, errors.Join(errs[:min(len(errs), 5)]...))
	}
}

// FE4, W41: a reload with two thousand streams open and people in line. Nobody loses a place or a session; the streams are
// closed one after the other, each with the word that asks to come back, and every one of them is open again at once.
func TestReloadWithManyStreams(t *testing.T) {
	const n = eventStreams + webSockets
	room := []string{"rate 5000/s", fmt.Sprintf("cap %d", n+50), "reload_spread " + spread.String()}
	w := build(t, setup{edges: 1, room: room, proxy: []string{"stream_close_delay 5m"}, origin: http.HandlerFunc(streams)})
	e := w.edges[0]
	c := &http.Client{Transport: &again{next: &http.Transport{DisableCompression: true}}}
	ctx, cancel := context.WithTimeout(t.Context(), 5*patience)
	defer cancel()

	people := make([]*fleet.Visitor, n)
	opened := make([]open, n)
	reopen := func(i int) (err error) {
		if i < eventStreams {
			opened[i], err = events(ctx, c, people[i], e)
		} else if opened[i], err = socket(ctx, people[i], e); err != nil {
			opened[i], err = socket(ctx, people[i], e) // the old listener's queue: see again
		}
		return err
	}
	each(t, n, func(i int) error {
		people[i] = &fleet.Visitor{Told: &w.told}
		if _, err := people[i].Join(ctx, e.URL()); err != nil {
			return err
		}
		enter, done := context.WithTimeout(ctx, patience)
		defer done()
		if _, err := people[i].Enter(enter, e.URL()); err != nil {
			return err
		}
		return reopen(i)
	})
	line := w.comes(e, heartbeating)
	for _, v := range append(line, people...) {
		v.Client = c // a heartbeat that meets the reload is sent again, as the page does
	}

	type end struct {
		at   time.Time
		said string
		err  error
	}
	ends := make([]end, n)
	var all sync.WaitGroup
	for i := range opened {
		all.Go(func() {
			said, _ := io.ReadAll(opened[i].rest) // however it ends
			ends[i] = end{at: time.Now(), said: string(said)}
			ends[i].err = errors.Join(opened[i].close(), reopen(i))
		})
	}
	began := time.Now()
	check(t, e.Write(append(room, "title Reloaded")...))
	if out, err := e.Reload(ctx); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Logf("the reload took %s", time.Since(began).Round(time.Millisecond))
	for _, v := range line {
		w.keepsPlace(v, e)
	}
	all.Wait()

	closeFrame := "\x88\x08\x03\xf4reload" // 1012
	var at []time.Time
	for i, x := range ends {
		want := "\n\n\n" // the end of the event before, and an empty line
		if i >= eventStreams {
			want = closeFrame
		}
		if x.err != nil || x.said != want {
			t.Errorf("stream %d ended with %q, want %q; and again: %v", i, x.said, want, x.err)
			break
		}
		at = append(at, x.at)
	}
	if t.Failed() {
		return
	}
	slices.SortFunc(at, time.Time.Compare)
	// A busy machine closes them later, never closer together: that they are spread is no matter of speed.
	if took := at[n-1].Sub(at[0]); took < spread*8/10 {
		t.Errorf("all were closed within %s, want about %s", took, spread)
	}
	for i := range at[:n/2] {
		if at[i+n/2].Sub(at[i]) < spread/5 {
			t.Errorf("half of all were closed within %s", at[i+n/2].Sub(at[i]))
			break
		}
	}
	for _, v := range append(line, people[:20]...) {
		w.keepsPlace(v, e)
	}
	for _, v := range people[:20] {
		w.visits(v, e)
	}
	cancel()
	for i := eventStreams; i < n; i++ {
		_ = opened[i].close()
	}
	w.progress(e)
}
