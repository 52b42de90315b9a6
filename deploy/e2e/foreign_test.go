package e2e

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ropeline/ropeline/deploy/stack"
)

// motto is what the foreign application serves: who reads it has been let in.
const motto = "a page that knows nothing of any waiting room"

// TestProtectsAnOriginThatIsNotOurs puts the one command of the README before Python's own web server.
func TestProtectsAnOriginThatIsNotOurs(t *testing.T) {
	edge := foreign(t)

	t.Run("a browser waits and is let in", func(t *testing.T) {
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		browser := &http.Client{Jar: jar, Timeout: 30 * time.Second}
		first, page := navigate(t, browser, edge+"/")
		if first.StatusCode != http.StatusServiceUnavailable || !strings.Contains(first.Header.Get("Content-Type"), "text/html") {
			t.Errorf("first answer: %s, %s, want a 503 waiting page", first.Status, first.Header.Get("Content-Type"))
		}
		if strings.Contains(page, motto) {
			t.Error("the first request without a ticket reached the origin")
		}
		if got := first.Header.Get("Cache-Control"); !strings.Contains(got, "no-store") {
			t.Errorf("Cache-Control of the waiting page is %q, want no-store", got)
		}
		// The button of the page without scripts: the same address again, when the page says.
		last := first
		for deadline := time.Now().Add(slowest); last.StatusCode == http.StatusServiceUnavailable && time.Now().Before(deadline); {
			wait, err := strconv.Atoi(last.Header.Get("Retry-After"))
			if err != nil || wait < 1 {
				t.Fatalf("Retry-After of the waiting page is %q, want seconds", last.Header.Get("Retry-After"))
			}
			time.Sleep(time.Duration(wait) * time.Second)
			last, page = navigate(t, browser, edge+"/")
		}
		if last.StatusCode != http.StatusOK || !strings.Contains(page, motto) {
			t.Errorf("last answer: %s, %.200q, want the origin's page", last.Status, page)
		}
	})

	t.Run("a script is told to wait", func(t *testing.T) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, edge+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", "*/*")
		req.Header.Set("User-Agent", "curl/8.0")
		resp, body := do(t, http.DefaultClient, req)
		if resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Content-Type") != "application/problem+json" {
			t.Fatalf("answer: %s, %s, want 429 application/problem+json", resp.Status, resp.Header.Get("Content-Type"))
		}
		if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err != nil || s < 1 {
			t.Errorf("Retry-After is %q, want seconds", resp.Header.Get("Retry-After"))
		}
		var problem struct {
			Status       int
			Code, Ticket string
			Position     *int
		}
		if err := json.Unmarshal([]byte(body), &problem); err != nil {
			t.Fatalf("%v: %s", err, body)
		}
		if problem.Status != 429 || problem.Code != "admission_required" || problem.Ticket == "" || problem.Position == nil {
			t.Errorf("problem = %s", body)
		}
	})
}

// foreign starts Python's web server and the edge before it, with no other service at hand, and returns the edge's address.
func foreign(t *testing.T) string {
	t.Helper()
	site := t.TempDir()
	if err := os.WriteFile(filepath.Join(site, "index.html"), []byte("<p>"+motto), 0o644); err != nil {
		t.Fatal(err)
	}
	ports, err := stack.FreePorts(3)
	if err != nil {
		t.Fatal(err)
	}
	edge, origin := ports[0], ports[1]
	child(t, stack.Spec{
		Name: "python", Path: "python3",
		Args: []string{"-u", "-m", "http.server", strconv.Itoa(origin), "--bind", "127.0.0.1", "--directory", site},
	}, origin)
	state := t.TempDir()
	child(t, stack.Spec{
		Name: "ropeline", Path: filepath.Join(programs(t, "./caddymodule/cmd/ropeline"), "ropeline"),
		Args: []string{"waiting-room", "--from", "127.0.0.1:" + strconv.Itoa(edge), "--to", url(origin, ""), "--rate", "20/s"},
		Env: []string{"XDG_DATA_HOME=" + filepath.Join(state, "data"), "XDG_CONFIG_HOME=" + filepath.Join(state, "config"),
			"HOME=" + state},
	}, edge)
	return url(edge, "")
}

// child starts a program and waits until it listens.
func child(t *testing.T, spec stack.Spec, port int) *stack.Child {
	t.Helper()
	c, err := stack.Start(t.TempDir(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	if err := stack.Await(t.Context(), c, stack.Listens(net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))); err != nil {
		t.Fatal(err)
	}
	return c
}

func navigate(t *testing.T, c *http.Client, address string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8")
	req.Header.Set("Sec-Fetch-Mode", "navigate")
	req.Header.Set("Sec-Fetch-Dest", "document")
	return do(t, c, req)
}

func do(t *testing.T, c *http.Client, req *http.Request) (*http.Response, string) {
	t.Helper()
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}
