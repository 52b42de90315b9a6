package caddymodule

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	_ "github.com/caddyserver/caddy/v2/modules/standard"

	"github.com/ropeline/ropeline/admission/line"
	"github.com/ropeline/ropeline/admission/line/redistest"
)

// patience is how long a condition may take that depends on the line's own clock; nothing is judged by time.
const patience = 30 * time.Second

// edge is a running Caddy with a waiting room in front of an origin that records what it sees. One process has one
// Caddy, so these tests do not run in parallel.
type edge struct {
	t      *testing.T
	dir    string
	origin *origin
	global string // options of the ropeline block besides keys and data
	sock   string

	h2, tls       bool     // visitors speak HTTP/2, on TLS
	replace       []string // pairs of text in the Caddyfile
	network, addr string   // where visitors connect to; the socket unless a browser has to
}

type origin struct {
	*httptest.Server
	mu   sync.Mutex
	seen []*http.Request
	// answer, if set, writes the answer.
	answer func(http.ResponseWriter, *http.Request)
}

func (o *origin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	o.seen = append(o.seen, r.Clone(context.Background()))
	answer := o.answer
	o.mu.Unlock()
	if answer != nil {
		answer(w, r)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=77")
	fmt.Fprintf(w, "origin %s", r.RequestURI)
}

func (o *origin) requests() []*http.Request {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]*http.Request(nil), o.seen...)
}

func (o *origin) answerWith(f func(http.ResponseWriter, *http.Request)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.answer = f
}

// newEdge starts on the embedded store, or on the given one, without TLS.
func newEdge(t *testing.T, room, store string) *edge {
	t.Helper()
	return startEdge(t, room, store, func(*edge) {})
}

func startEdge(t *testing.T, room, store string, with func(*edge)) *edge {
	t.Helper()
	o := &origin{}
	o.Server = httptest.NewServer(o)
	t.Cleanup(o.Close)
	// A socket's path may have 108 bytes, which t.TempDir can exceed.
	dir, err := os.MkdirTemp("", "rl")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	t.Setenv("XDG_DATA_HOME", filepath.Join(dir, "data"))
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	e := &edge{t: t, dir: dir, origin: o, sock: filepath.Join(dir, "s"), network: "unix", addr: filepath.Join(dir, "s")}
	if store != "" {
		e.global = "store " + store
	}
	with(e)
	if err := admissionKeys(filepath.Join(dir, "keys")); err != nil {
		t.Fatal(err)
	}
	if err := e.load(room); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := caddy.Stop(); err != nil {
			t.Error(err)
		}
	})
	untilMade(t)
	return e
}

// untilMade waits for rooms that are being made at a shared store.
func untilMade(t *testing.T) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for _, r := range liveRooms() {
		for s := r.line.Snapshot(); !known(s) && !s.Stale; s = r.line.Snapshot() {
			if time.Now().After(deadline) {
				t.Fatalf("room %s is not made: %+v", r.name, s)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// config is a Caddyfile with the room's directive and the origin behind it.
func (e *edge) config(room string) string {
	protocols, site, tls := "h1 h2c", "http://", ""
	if e.tls {
		protocols, site, tls = "h1 h2\n\t\tstrict_sni_host on", "https://", e.onTLS()
	}
	return strings.NewReplacer(e.replace...).Replace(fmt.Sprintf(`{
	admin off
	persist_config off
	auto_https off
	servers {
		protocols %s
	}
	log {
		level ERROR
	}
	ropeline {
		keys %s
		data %s
		%s
	}
}
%s {
	bind unix/%s
	%s
	%s
	reverse_proxy %s
}
`, protocols, filepath.Join(e.dir, "keys"), filepath.Join(e.dir, "rooms"), e.global, site, e.sock, tls, room, e.origin.Listener.Addr()))
}

func (e *edge) load(room string) error { return e.loadText(e.config(room)) }

func (e *edge) loadText(text string) error {
	b, err := adapt(text)
	if err != nil {
		return err
	}
	return caddy.Load(b, true)
}

func adapt(text string) ([]byte, error) {
	b, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(text), map[string]any{"filename": "Caddyfile"})
	return b, err
}

// visitorClient is one browser: it keeps cookies and follows no redirect by itself.
type visitorClient struct {
	e *edge
	*http.Client
}

func (e *edge) visitor() *visitorClient {
	jar, _ := cookiejar.New(nil)
	tr := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, e.network, e.addr)
	}}
	tr.Protocols, tr.TLSClientConfig = new(http.Protocols), clientTLS()
	switch {
	case e.h2 && e.tls:
		tr.Protocols.SetHTTP2(true)
	case e.h2:
		tr.Protocols.SetUnencryptedHTTP2(true)
	default:
		tr.Protocols.SetHTTP1(true)
	}
	e.t.Cleanup(tr.CloseIdleConnections)
	return &visitorClient{e, &http.Client{Jar: jar, Transport: again{tr}, Timeout: patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

type reply struct {
	*http.Response
	body string
}

func (v *visitorClient) do(method, uri string, header ...string) reply {
	v.e.t.Helper()
	r, err := http.NewRequest(method, v.e.base()+uri, nil)
	if err != nil {
		v.e.t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header[http.CanonicalHeaderKey(header[i])] = append(r.Header[http.CanonicalHeaderKey(header[i])], header[i+1])
	}
	resp, err := v.Do(r)
	if err != nil {
		v.e.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		v.e.t.Fatal(err)
	}
	return reply{resp, string(b)}
}

var navigation = []string{"Accept", "text/html,application/xhtml+xml,*/*;q=0.8", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "Sec-Fetch-Site", "none"}

// navigate is a navigation, as a browser makes it.
func (v *visitorClient) navigate(uri string) reply { return v.do("GET", uri, navigation...) }

func (v *visitorClient) post(route string) reply {
	return v.do("POST", reservedPrefix+"main/"+route, "Accept", "application/json", "Sec-Fetch-Site", "same-origin")
}

// enter navigates until the edge lets the visitor in, and returns the redirect.
func (v *visitorClient) enter(uri string) reply {
	v.e.t.Helper()
	var last reply
	v.e.until("let in", func() bool {
		last = v.navigate(uri)
		return last.StatusCode == http.StatusSeeOther
	})
	return last
}

func (e *edge) until(what string, ok func() bool) {
	e.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if ok() {
			return
		}
		time.Sleep(20 * time.Millisecond) // a poll of a condition; nothing depends on its length
	}
	e.t.Fatalf("never %s", what)
}

func (r reply) json(t *testing.T) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(r.body), &m); err != nil {
		t.Fatalf("%v: %s", err, r.body)
	}
	return m
}

func (r reply) want(t *testing.T, status int) reply {
	t.Helper()
	if r.StatusCode != status {
		t.Fatalf("status %d, want %d: %.300s", r.StatusCode, status, r.body)
	}
	return r
}

func (e *edge) room() *room {
	for _, r := range liveRooms() {
		if r.name == "main" {
			return r
		}
	}
	e.t.Fatal("no room")
	return nil
}

func (e *edge) snapshot() line.Snapshot { return e.room().line.Snapshot() }

func roomWith(options ...string) string {
	return "waiting_room main {\n" + strings.Join(options, "\n") + "\n}"
}

// bothStores runs a test on the store in this process and on a real Redis.
func bothStores(t *testing.T, f func(t *testing.T, store string)) {
	t.Run("embedded", func(t *testing.T) { f(t, "") })
	t.Run("redis", func(t *testing.T) { f(t, redistest.Run(t).URL()) })
}
