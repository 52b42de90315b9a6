package caddymodule

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/ropeline/ropeline/admission"
)

func (e *edge) url() *url.URL {
	e.t.Helper()
	u, err := url.Parse(e.base() + "/")
	if err != nil {
		e.t.Fatal(err)
	}
	return u
}

// joined is how many places the room has given, by its own public record.
func (e *edge) joined() int {
	e.t.Helper()
	// What this edge has asked for is in its snapshot at once; the tick behind it brings what others have.
	seq := e.snapshot().Seq
	e.until("a tick", func() bool { return e.snapshot().Seq > seq })
	return int(e.snapshot().Next)
}

// admin makes a change as the admin API would.
func (e *edge) admin(action, body string) {
	e.t.Helper()
	if err := adminCall(http.MethodPost, "/ropeline/rooms/main/"+action, body); err != nil {
		e.t.Fatal(err)
	}
}

func adminCall(method, path, body string) error {
	return serveAdmin(httptest.NewRecorder(), httptest.NewRequest(method, path, strings.NewReader(body)))
}

func (e *edge) cookie(v *visitorClient, part string) string {
	e.t.Helper()
	for _, c := range v.Jar.Cookies(e.url()) {
		if strings.TrimPrefix(c.Name, hostPrefix) == part+"main" {
			return c.Value
		}
	}
	e.t.Fatalf("no cookie %smain", part)
	return ""
}

// rawStatus sends bytes as they are, by HTTP/1.1, and returns the status line.
func (e *edge) rawStatus(request string) string {
	e.t.Helper()
	c := e.dial("http/1.1")
	if _, err := c.Write([]byte(request)); err != nil {
		e.t.Fatal(err)
	}
	s, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		e.t.Fatal(err)
	}
	return s
}

// again sends a request once more whose connection ended without a byte of answer, as browsers do. A server that a reload ends
// drops what it has accepted and not yet handed to a handler (net/http, conn.serve: shuttingDown), so the first request after a
// reload may meet that.
type again struct{ http.RoundTripper }

func (a again) RoundTrip(r *http.Request) (*http.Response, error) {
	var answered atomic.Bool
	traced := r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{GotFirstResponseByte: func() { answered.Store(true) }}))
	resp, err := a.RoundTripper.RoundTrip(traced)
	if !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) || answered.Load() || r.Body != nil && r.GetBody == nil {
		return resp, err
	}
	second := r.Clone(r.Context())
	if r.GetBody != nil {
		if second.Body, err = r.GetBody(); err != nil {
			return nil, err
		}
	}
	return a.RoundTripper.RoundTrip(second)
}

func apiStatus(err error) int {
	var api caddy.APIError
	if errors.As(err, &api) {
		return api.HTTPStatus
	}
	return http.StatusInternalServerError
}

// serveOn starts a server on a free port and returns its address.
func serveOn(t *testing.T, srv *http.Server) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = srv.Serve(l) }()
	t.Cleanup(func() { srv.Close() })
	return l.Addr().String()
}

// counterOf reads a counter of the process.
func counterOf(t *testing.T, c prometheus.Counter) float64 {
	t.Helper()
	var m dto.Metric
	if err := c.Write(&m); err != nil {
		t.Fatal(err)
	}
	return m.GetCounter().GetValue()
}

func passOf(vid string) admission.Pass { return admission.Pass{VID: admission.VID(vid)} }

func mustPrefix(s string) netip.Prefix { return netip.MustParsePrefix(s) }
