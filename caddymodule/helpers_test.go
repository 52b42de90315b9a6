package caddymodule

import (
	"bufio"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
)

func mustURL(t *testing.T) *url.URL {
	t.Helper()
	u, err := url.Parse("http://edge.test/")
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// joined is how many places the room has given, by its own public record.
func (e *edge) joined() int {
	e.t.Helper()
	// An admin report is built from the snapshot, which is a second old at most: wait for the next one.
	seq := e.snapshot().Seq
	e.until("a tick", func() bool { return e.snapshot().Seq >= seq+2 })
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
	u := mustURL(e.t)
	if e.tls {
		u.Scheme = "https"
	}
	for _, c := range v.Jar.Cookies(u) {
		if strings.TrimPrefix(c.Name, hostPrefix) == part+"main" {
			return c.Value
		}
	}
	e.t.Fatalf("no cookie %smain", part)
	return ""
}

// rawStatus sends bytes as they are and returns the status line.
func (e *edge) rawStatus(request string) string {
	e.t.Helper()
	c, err := net.Dial("unix", e.sock)
	if err != nil {
		e.t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte(request)); err != nil {
		e.t.Fatal(err)
	}
	s, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		e.t.Fatal(err)
	}
	return s
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
