package cdn

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ropeline/ropeline/deploy/debian"
	"github.com/ropeline/ropeline/deploy/stack"
)

var progress = stack.Progress{W: os.Stderr}

// site is both programs with a counting middleman on each side of the edge:
//
//	cache -> front (counts) -> edge -> behind (counts, and a shop page of its own) -> bookingd
type site struct {
	*stack.Stack
	front, behind *middleman
}

// middleman counts requests by path and passes them on.
type middleman struct {
	*httptest.Server
	to    atomic.Pointer[url.URL]
	away  atomic.Bool // answers nothing more
	mu    sync.Mutex
	count map[string]int
	asked []string     // method and target of each, in their order
	also  http.Handler // for paths below /shop
}

func newMiddleman(t *testing.T, also http.Handler) *middleman {
	m := &middleman{count: map[string]int{}, also: also}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(m.to.Load())
		r.Out.Host = r.In.Host
		r.Out.Header["X-Forwarded-For"] = r.In.Header["X-Forwarded-For"]
	}}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if m.away.Load() {
			panic(http.ErrAbortHandler)
		}
		m.mu.Lock()
		m.count[r.URL.Path]++
		m.asked = append(m.asked, r.Method+" "+r.RequestURI)
		m.mu.Unlock()
		if m.also != nil && strings.HasPrefix(r.URL.Path, "/shop") {
			m.also.ServeHTTP(w, r)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(m.Close)
	return m
}

func (m *middleman) passes(to string) {
	u, err := url.Parse(to)
	if err != nil {
		panic(err)
	}
	m.to.Store(u)
}

func (m *middleman) seen(path string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.count[path]
}

// since gives what was asked after the first n.
func (m *middleman) since(n int) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.asked[n:])
}

func (m *middleman) port() string { return m.URL[strings.LastIndexByte(m.URL, ':')+1:] }

const hall = `{
  "venue": {"slug": "hall", "name": "Hall", "city": "Bonn", "country": "DE", "width": 10, "height": 10,
    "sections": [{"name": "Stalls", "class": "A", "rows": [{"name": "1", "seats": [["1", 1, 1], ["2", 2, 1], ["3", 3, 1], ["4", 4, 1]]}]}]},
  "events": [{"slug": "gig", "venue": "hall", "organiser": "O", "title": "Gig", "place": "Hall", "starts_at": "2127-06-12T20:00", "time_zone": "Europe/Berlin",
    "currency": "EUR", "prices": [{"class": "A", "amount": 4500}]}]}`

// open starts both programs. Each option is a line of the room's.
func open(t *testing.T, options ...string) *site {
	t.Helper()
	root, err := stack.Repository()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(root, ".run", "bin")
	if err := stack.Build(t.Context(), progress, root, bin, stack.Programs...); err != nil {
		t.Fatal(err)
	}
	// Not t.TempDir: its path is too long for PostgreSQL's socket, and its parent is closed to PostgreSQL's user.
	dir, err := os.MkdirTemp("", "ropeline-cdn-")
	if err != nil {
		t.Fatal(err)
	}
	events := filepath.Join(dir, "events.json")
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(events, []byte(hall), 0o644)); err != nil {
		t.Fatal(err)
	}
	s := &site{behind: newMiddleman(t, http.HandlerFunc(shop)), front: newMiddleman(t, nil)}
	s.Stack, err = stack.Up(t.Context(), stack.Config{Dir: dir, Bin: bin, Caddyfile: behindACache(t, root, dir, options), Throwaway: true, Embedded: true,
		Events: []string{events}, Origin: strings.TrimPrefix(s.behind.URL, "http://"), Progress: progress,
		BookingEnv: []string{"BOOKINGD_DEV_ISSUER=on"}, EdgeEnv: func(*stack.Stack) []string { return []string{"ROPELINE_RATE=20/s", "ROPELINE_CAP=1000"} }})
	if err != nil {
		t.Fatalf("%v\n(logs are kept in %s)", err, dir)
	}
	s.behind.passes(s.BookingURL())
	s.front.passes(s.EdgeURL())
	t.Cleanup(func() {
		if err := s.Down(); err != nil {
			t.Error(err)
		}
		if !t.Failed() {
			_ = stack.Forget(dir)
		}
	})
	return s
}

// shop is a page of an origin that thinks of caches and not of waiting rooms.
func shop(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Cache-Control", "public, max-age=60")
	fmt.Fprint(w, "the shop")
}

// behindACache is deploy/Caddyfile with the matcher that README.md gives for it.
func behindACache(t *testing.T, root, dir string, options []string) string {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(readme), "```caddyfile\n")
	block, _, closed := strings.Cut(rest, "```")
	file, err := os.ReadFile(filepath.Join(root, "deploy", "Caddyfile"))
	if err != nil {
		t.Fatal(err)
	}
	before, after, has := strings.Cut(string(file), "@gated not path ")
	paths, after, _ := strings.Cut(after, "\n")
	if !found || !closed || !has || !strings.Contains(block, "<the paths from before>") {
		t.Fatal("README.md gives no matcher, or deploy/Caddyfile has no @gated")
	}
	path := filepath.Join(dir, "Caddyfile")
	text := before + strings.Replace(block, "<the paths from before>", paths, 1) + after
	for _, o := range options {
		text = strings.Replace(text, "boxoffice {\n", "boxoffice {\n\t\t"+o+"\n", 1)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// program finds a Debian program, which CI installs.
func program(t *testing.T, name string) string {
	t.Helper()
	parts, err := debian.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	path := parts[0].Find()
	if path == "" {
		t.Fatal(debian.Advice(parts))
	}
	return path
}

// configured copies a configuration with other values in place of those a reader would put in; each is there once.
func configured(t *testing.T, file, to string, values map[string]string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	for old, value := range values {
		if n := strings.Count(text, old); n != 1 {
			t.Fatalf("%s has %q %d times, want once", file, old, n)
		}
		text = strings.Replace(text, old, value, 1)
	}
	if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
