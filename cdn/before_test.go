package cdn

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ropeline/ropeline/deploy/stack"
)

const (
	room  = "/.well-known/ropeline/" + stack.Room + "/"
	gig   = "/v1/events/gig"
	seats = gig + "/seats"
)

// Both caches, started from the files a reader copies, before both programs.
func TestRealCachesBeforeBothPrograms(t *testing.T) {
	s := open(t)
	seat := map[string]int{"varnish": 1, "nginx": 4} // of one row: not beside each other
	for name, start := range map[string]func(*testing.T, *site) string{"varnish": varnish, "nginx": nginx} {
		t.Run(name, func(t *testing.T) {
			c := &cached{t: t, site: s, base: start(t, s)}
			c.everybodysIsFetchedOnceASecond()
			c.whoAsksMakesNoDifference()
			c.nobodyCanSpoilWhatIsShared()
			c.waitingIsNeverKept()
			c.personalIsNeverKept()
			c.anOriginThatSaysPublic()
			c.aHoldDecidesAndNotTheMap(seat[name])
			if name == "varnish" {
				c.purge()
			}
			c.staleIsBetterThanNothingForMapsOnly()
		})
	}
}

type cached struct {
	*site
	t    *testing.T
	base string
}

type got struct {
	*http.Response
	body string
}

// visitor is a browser with cookies of its own.
func (c *cached) visitor() *http.Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		c.t.Fatal(err)
	}
	return &http.Client{Jar: jar, Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func (c *cached) ask(client *http.Client, method, path string, headers ...string) got {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.base+path, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := client.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return got{resp, string(body)}
}

func (c *cached) navigate(client *http.Client, path string) got {
	return c.ask(client, "GET", path, "Accept", "text/html", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document", "Sec-Fetch-Site", "none")
}

// What everybody gets alike reaches the programs about once a second, however many ask at once.
func (c *cached) everybodysIsFetchedOnceASecond() {
	for _, path := range []string{room + "status", gig, seats, seats + ".bin", "/v1/events"} {
		before, begin := c.front.seen(path), time.Now()
		var wg sync.WaitGroup
		for range 300 {
			wg.Go(func() {
				if r := c.ask(http.DefaultClient, "GET", path); r.StatusCode != http.StatusOK {
					c.t.Errorf("%s: %s", path, r.Status)
				}
			})
		}
		wg.Wait()
		if n, most := c.front.seen(path)-before, 2+int(time.Since(begin)/time.Second); n > most {
			c.t.Errorf("%s: 300 questions within %s became %d at the edge, want at most %d", path, time.Since(begin), n, most)
		}
	}
}

// Cookies, credentials and queries that mean nothing do not make another answer.
func (c *cached) whoAsksMakesNoDifference() {
	before, begin := c.front.seen(seats), time.Now()
	for i := range 40 {
		n := strconv.Itoa(i)
		r := c.ask(http.DefaultClient, "GET", seats+"?x="+n, "Cookie", "session="+n, "Authorization", "Bearer "+n, "Ropeline-Pass", n, "Ropeline-Ticket", n)
		if r.StatusCode != http.StatusOK || r.Header.Get("Set-Cookie") != "" || !strings.Contains(r.body, `"snapshot"`) {
			c.t.Fatalf("%s: %s %v", seats, r.Status, r.Header)
		}
	}
	if n, most := c.front.seen(seats)-before, 2+int(time.Since(begin)/time.Second); n > most {
		c.t.Errorf("forty askers became %d questions, want at most %d", n, most)
	}
	// A search is another one with other words.
	if r := c.ask(http.DefaultClient, "GET", "/v1/events?q=gig"); !strings.Contains(r.body, `"gig"`) {
		c.t.Errorf("search: %s %s", r.Status, r.body)
	}
	if r := c.ask(http.DefaultClient, "GET", "/v1/events?q=nothing-like-it"); strings.Contains(r.body, `"gig"`) {
		c.t.Error("another search got the answer of the first")
	}
}

// AH33: whatever a stranger asks a cache with, when it has nothing yet, the next one gets what the programs themselves say.
func (c *cached) nobodyCanSpoilWhatIsShared() {
	const mark = "spoilt.example"
	strange := []string{"X-Forwarded-Host", mark, "X-Forwarded-Proto", mark, "X-Forwarded-Prefix", "/" + mark, "X-Original-URL", "/" + mark, "X-Rewrite-URL", "/" + mark, "X-HTTP-Method-Override", "DELETE",
		"Accept-Language", "<" + mark + ">", "Origin", "https://" + mark, "Referer", "https://" + mark, "Range", "bytes=0-3", "Accept", "text/html", "Sec-Fetch-Mode", "navigate", "Cookie", "rl-t-boxoffice=" + mark, "Ropeline-Cdn", "wait"}
	var event struct{ Geometry string }
	if err := json.Unmarshal([]byte(c.ask(http.DefaultClient, "GET", gig).body), &event); err != nil || event.Geometry == "" {
		c.t.Fatalf("no geometry: %v", err)
	}
	for i, shared := range []string{room + "status", room + "jwks.json", room + "draw", "/v1/events", gig, seats, seats + ".bin", event.Geometry, "/openapi.json"} {
		own, err := http.Get(c.EdgeURL() + shared)
		if err != nil {
			c.t.Fatal(err)
		}
		whole, _ := io.ReadAll(own.Body)
		own.Body.Close()
		until := time.Now().Add(2500 * time.Millisecond) // the second of what lives a second ends in between
		if i > 0 {
			until = time.Now().Add(200 * time.Millisecond)
		}
		for n := 0; n == 0 || time.Now().Before(until); n++ {
			for _, method := range []string{"HEAD", "GET"} {
				c.ask(http.DefaultClient, method, shared+"?x="+mark, strange...)
			}
			r := c.ask(http.DefaultClient, "GET", shared)
			said := fmt.Sprint(r.Header, r.body)
			if r.StatusCode != http.StatusOK || strings.Contains(said, mark) || len(r.Header["Set-Cookie"]) > 0 || r.Header.Get("Content-Type") != own.Header.Get("Content-Type") || len(r.body) < len(whole)*9/10 {
				c.t.Errorf("%s after a stranger: %s %.400s", shared, r.Status, said)
				break
			}
		}
	}
	// Nor can he fill a cache with addresses that only look like a shared one. nginx reads a path in one spelling; then it is
	// the shared answer itself.
	for _, odd := range []string{"/V1/events/gig", "/v1/events//gig", "/v1/./events", "/v1/events/gig%2Fseats", "/v1/events/gig/", "/.well-known/ropeline/boxoffice/status/", "/.well-known//ropeline/boxoffice/status", "/.well-known/ropeline/boxoffice/STATUS"} {
		c.ask(http.DefaultClient, "GET", odd)
		plain, _ := url.PathUnescape(odd)
		if again := c.ask(http.DefaultClient, "GET", odd); strings.EqualFold(again.Header.Get("X-Cache"), "hit") && again.body != c.ask(http.DefaultClient, "GET", path.Clean(plain)).body {
			c.t.Errorf("%s is kept", odd)
		}
	}
}

// The waiting page is each visitor's own, is marked, is asked for once and reaches the visitor as it is.
func (c *cached) waitingIsNeverKept() {
	const path = "/events/gig"
	tickets := map[string]bool{}
	for range 5 {
		before := c.front.seen(path)
		v := c.visitor()
		r := c.navigate(v, path)
		if n := c.front.seen(path) - before; n != 1 {
			c.t.Errorf("a visitor's page was asked for %d times", n)
		}
		if cc := r.Header.Get("Cache-Control"); cc != "private, no-store" || r.Header.Get("Ropeline-Answer") == "" {
			c.t.Errorf("page: %s %v", r.Status, r.Header)
		}
		for _, cookie := range r.Cookies() {
			if tickets[cookie.Value] {
				c.t.Error("two visitors have one cookie")
			}
			tickets[cookie.Value] = true
		}
	}
	if len(tickets) < 5 {
		c.t.Errorf("%d cookies for five visitors", len(tickets))
	}
	// A call is refused with what a program needs.
	r := c.ask(c.visitor(), "POST", gig+"/holds", "Accept", "application/json")
	if r.StatusCode != http.StatusTooManyRequests || r.Header.Get("Ropeline-Answer") != "wait" || r.Header.Get("Retry-After") == "" {
		c.t.Errorf("call: %s %v", r.Status, r.Header)
	}
}

// Answers that belong to one person are asked for each time.
func (c *cached) personalIsNeverKept() {
	for path, want := range map[string]int{"/v1/orders": http.StatusUnauthorized, "/v1/tickets": http.StatusUnauthorized} {
		before := c.front.seen(path)
		for range 3 {
			if r := c.ask(http.DefaultClient, "GET", path); r.StatusCode != want || r.Header.Get("Cache-Control") != "private, no-store" {
				c.t.Errorf("%s: %s %v", path, r.Status, r.Header)
			}
		}
		if n := c.front.seen(path) - before; n != 3 {
			c.t.Errorf("%s: three questions became %d", path, n)
		}
	}
	before := c.front.seen(room + "knock")
	for range 3 {
		c.ask(http.DefaultClient, "POST", room+"knock")
	}
	if n := c.front.seen(room+"knock") - before; n != 3 {
		c.t.Errorf("three knocks became %d", n)
	}
}

// AH40: an origin that calls a gated page public does not let the next one past the line, and nobody gets another's cookie.
func (c *cached) anOriginThatSaysPublic() {
	v := c.inside()
	inside := c.navigate(v, "/shop")
	if inside.body != "the shop" || inside.Header.Get("Set-Cookie") != "" {
		c.t.Fatalf("the first visitor got %s %v", inside.Status, inside.Header)
	}
	second := c.ask(http.DefaultClient, "GET", "/shop", "Accept", "text/html", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image")
	if page := c.navigate(c.visitor(), "/shop"); page.body == "the shop" || page.StatusCode != http.StatusServiceUnavailable {
		c.t.Errorf("a second visitor's navigation got %s %q", page.Status, page.body)
	}
	if second.body == "the shop" || second.StatusCode != http.StatusTooManyRequests {
		c.t.Errorf("a second visitor without cookies got %s %q", second.Status, second.body)
	}
	c.ask(v, "POST", room+"leave") // the slot is for the other cache's visitor
}

func (c *cached) purge() {
	c.ask(http.DefaultClient, "GET", "/openapi.json")
	before := c.front.seen("/openapi.json")
	c.ask(http.DefaultClient, "GET", "/openapi.json")
	if c.front.seen("/openapi.json") != before {
		c.t.Error("the API's description is not kept")
	}
	if r := c.ask(http.DefaultClient, "PURGE", "/openapi.json"); r.StatusCode != http.StatusOK {
		c.t.Errorf("purge: %s", r.Status)
	}
	c.ask(http.DefaultClient, "GET", "/openapi.json")
	if c.front.seen("/openapi.json") != before+1 {
		c.t.Error("purged and still kept")
	}
}

// While the edge is away people see the last map; nobody sees an old page or an old place in line.
func (c *cached) staleIsBetterThanNothingForMapsOnly() {
	if r := c.ask(http.DefaultClient, "GET", seats); r.StatusCode != http.StatusOK {
		c.t.Fatal(r.Status)
	}
	c.front.away.Store(true)
	defer c.front.away.Store(false)
	deadline := time.Now().Add(time.Minute)
	for begin := time.Now(); time.Since(begin) < 3*time.Second; { // longer than the map lives
		if r := c.ask(http.DefaultClient, "GET", seats); r.StatusCode == http.StatusOK && !strings.Contains(r.body, `"snapshot"`) {
			c.t.Errorf("not a map: %s", r.body)
		}
		time.Sleep(100 * time.Millisecond)
	}
	for { // a probe has to notice first
		r := c.ask(http.DefaultClient, "GET", seats)
		if r.StatusCode == http.StatusOK && strings.Contains(r.body, `"snapshot"`) {
			break
		}
		if time.Now().After(deadline) {
			c.t.Errorf("no map while the edge is away: %s %s", r.Status, r.body)
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if r := c.navigate(c.visitor(), "/events/gig"); r.StatusCode < 500 {
		c.t.Errorf("a page while the edge is away: %s", r.Status)
	}
}

func varnish(t *testing.T, s *site) string { return varnishWith(t, s, nil) }

// varnishWith has other changes to the file as well; a file that it includes lies in the same directory.
func varnishWith(t *testing.T, s *site, also func(dir string) map[string]string) string {
	dir := readable(t)
	vcl := filepath.Join(dir, "ropeline.vcl")
	values := map[string]string{`.port = "8080";`: `.port = "` + s.front.port() + `";`}
	if also != nil {
		maps.Copy(values, also(dir))
	}
	configured(t, "varnish/ropeline.vcl", vcl, values)
	return child(t, dir, "varnish", func(port int) []string {
		return []string{"-F", "-n", filepath.Join(dir, "work"), "-f", vcl, "-a", fmt.Sprintf("127.0.0.1:%d", port), "-s", "malloc,32m"}
	})
}

func nginx(t *testing.T, s *site) string { return nginxWith(t, s, nil) }

func nginxWith(t *testing.T, s *site, also map[string]string) string {
	dir := readable(t)
	return child(t, dir, "nginx", func(port int) []string {
		values := map[string]string{"127.0.0.1:8080": "127.0.0.1:" + s.front.port(),
			"listen 80;": fmt.Sprintf("listen 127.0.0.1:%d;", port), "/var/cache/nginx/ropeline": filepath.Join(dir, "cache")}
		maps.Copy(values, also)
		configured(t, "nginx/ropeline.conf", filepath.Join(dir, "ropeline.conf"), values)
		main := "daemon off;\nuser root;\npid " + dir + "/pid;\nerror_log stderr;\nevents { worker_connections 2048; }\nhttp {\naccess_log off;\n" +
			"client_body_temp_path " + dir + "/body; proxy_temp_path " + dir + "/proxy; fastcgi_temp_path " + dir + "/f; uwsgi_temp_path " + dir + "/u; scgi_temp_path " + dir + "/s;\n" +
			"include " + dir + "/ropeline.conf;\n}\n"
		if err := os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte(main), 0o644); err != nil {
			t.Fatal(err)
		}
		return []string{"-p", dir, "-c", filepath.Join(dir, "nginx.conf")}
	})
}

// readable makes a directory that a program may read after it has given up root; the parents of t.TempDir are closed.
func readable(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ropeline-cache-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// child runs a cache on a free port until the test ends, and waits until it answers.
func child(t *testing.T, dir, name string, args func(port int) []string) string {
	t.Helper()
	ports, err := stack.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	base := fmt.Sprintf("http://127.0.0.1:%d", ports[0])
	c, err := stack.Start(dir, stack.Spec{Name: name, Path: program(t, name), Args: args(ports[0])})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Stop() })
	if err := stack.Await(t.Context(), c, stack.Answers(base+room+"status")); err != nil {
		t.Fatal(err)
	}
	return base
}
