package faults

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ropeline/ropeline/deploy/fleet"
)

const (
	// markHeader names each request of a load, so that the edge's access log says how often it was handled.
	markHeader = "X-Load-Mark"
	loaders    = 4
)

// load asks an edge for status, heartbeats and the origin without a pause. The edge has to write an access log (accessLog).
type load struct {
	url, log string
	cancel   context.CancelFunc
	done     sync.WaitGroup
	again    again

	mu     sync.Mutex
	good   []string // marks
	failed []string // what went wrong, with the request
}

// accessLog is what the site of an edge needs that gets a load.
var accessLog = []string{"log"}

// busy begins a load.
func (w *world) busy(e *fleet.Edge, waiting, inside *fleet.Visitor) *load {
	return begin(w.t, e.URL(), e.Log(), waiting, inside)
}

func begin(t *testing.T, url, log string, waiting, inside *fleet.Visitor) *load {
	ctx, cancel := context.WithCancel(t.Context())
	own := http.DefaultTransport.(*http.Transport).Clone()
	t.Cleanup(own.CloseIdleConnections)
	l := &load{url: url, log: log, cancel: cancel, again: again{next: own}}
	for n := range loaders {
		l.done.Go(func() {
			wait, in := *waiting, *inside
			wait.Told, in.Told = nil, nil
			for i := 0; ctx.Err() == nil; i++ {
				l.one(ctx, fmt.Sprintf("%d.%d", n, i), i%3, &wait, &in)
			}
		})
	}
	return l
}

// one makes one request and judges its answer.
func (l *load) one(ctx context.Context, mark string, kind int, wait, in *fleet.Visitor) {
	c := &http.Client{Timeout: 30 * time.Second, Transport: marked{&l.again, mark}}
	wait.Client, in.Client = c, c
	var a fleet.Answer
	var err error
	what := ""
	switch kind {
	case 0:
		what = "GET status"
		a, err = (&fleet.Visitor{Client: c}).Do(ctx, http.MethodGet, l.url+fleet.Reserved+"status")
	case 1:
		what = "POST heartbeat"
		a, err = wait.Post(ctx, l.url, "heartbeat")
	case 2:
		what = "GET of the origin"
		a, err = in.Visit(ctx, l.url)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case ctx.Err() != nil:
	case err == nil && (a.Status == http.StatusOK || a.Code == "slow_down"):
		l.good = append(l.good, mark)
	default:
		l.failed = append(l.failed, fmt.Sprintf("%s %s: status %d, code %q, error %v", mark, what, a.Status, a.Code, err))
	}
}

// stop ends the load and fails the test if a request was lost.
func (l *load) stop(w *world, when string) {
	w.t.Helper()
	l.cancel()
	l.done.Wait()
	var wrong []string
	w.until("the access log has every request", func() bool { // a line of it follows the answer
		var whole bool
		whole, wrong = l.wrong(w.t)
		return whole
	})
	if len(wrong) > 0 {
		w.t.Errorf("%s, %d of %d requests went wrong:\n\t%s", when, len(wrong), len(l.failed)+len(l.good), strings.Join(wrong[:min(len(wrong), 20)], "\n\t"))
	}
	w.t.Logf("%s: %d requests, %d of them sent again", when, len(l.good), l.again.sent.Load())
}

// wrong lists what was answered badly, not at all, or handled more than once. whole says that the log has all that was answered.
func (l *load) wrong(t *testing.T) (whole bool, wrong []string) {
	t.Helper()
	wrong = append(wrong, l.failed...)
	if len(l.good) == 0 {
		wrong = append(wrong, "no request was answered")
	}
	text := must(os.ReadFile(l.log))(t)
	for _, mark := range l.good {
		switch n := bytes.Count(text, fmt.Appendf(nil, "%q:[%q]", markHeader, mark)); n {
		case 0:
			return false, wrong
		case 1:
		default:
			wrong = append(wrong, fmt.Sprintf("%s was handled %d times", mark, n))
		}
	}
	return true, wrong
}

// marked puts a mark on every request.
type marked struct {
	next http.RoundTripper
	mark string
}

func (m marked) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(markHeader, m.mark)
	return m.next.RoundTrip(r)
}

// again sends a request anew whose connection was closed before a byte of the answer, as browsers do, and the page's script for
// what they do not.
//
// Three kinds of connections end so in a reload. One that is kept and on which nothing is under way is closed by the server that
// ends: a request sent in that instant reaches nobody, and HTTP/1.1 leaves it to the client (RFC 9112, 9.3.1). Go's repeats GET
// by itself and POST never. A request that net/http reads after its shutdown has begun is dropped before any handler (conn.serve:
// shuttingDown). And Caddy's new listener stands beside the old one (SO_REUSEPORT): what the kernel has put into the old one's
// queue, and nobody has accepted, is reset when that is closed, unless net.ipv4.tcp_migrate_req is set. None of them has reached
// the edge. One that had, and whose answer was lost, would be handled twice: the access log says so.
type again struct {
	next http.RoundTripper
	sent atomic.Int64
}

// tries of a request: it may meet the one after the other.
const tries = 3

func (a *again) RoundTrip(r *http.Request) (*http.Response, error) {
	for try := 1; ; try++ {
		var answered atomic.Bool
		resp, err := a.next.RoundTrip(r.Clone(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
			GotFirstResponseByte: func() { answered.Store(true) },
		})))
		if err == nil || try == tries || answered.Load() || r.Context().Err() != nil {
			return resp, err
		}
		a.sent.Add(1)
	}
}

// What the load is for: a server that takes a request and closes its connection without an answer has lost it, whether the
// client asks again or not.
func TestTheLoadNoticesWhatIsLost(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	file := must(os.Create(log))(t)
	defer file.Close()
	var count, lost atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(file, "%q:[%q]\n", markHeader, r.Header.Get(markHeader))
		if count.Add(1)%10 == 0 {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				lost.Add(1)
				conn.Close()
			}
		}
	}))
	defer srv.Close()
	l := begin(t, srv.URL, log, &fleet.Visitor{}, &fleet.Visitor{})
	for count.Load() < 100 {
		runtime.Gosched()
	}
	l.cancel()
	l.done.Wait()
	whole, wrong := l.wrong(t)
	if !whole || int64(len(wrong)) < lost.Load()-loaders { // those under way at the end are nobody's
		t.Errorf("%d requests were lost, and it says %d: %s", lost.Load(), len(wrong), strings.Join(wrong, "; "))
	}
}
