package caddymodule

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// What programs and the console send passes, what another site's page can make a browser send does not.
func TestAdminKnowsWhoSends(t *testing.T) {
	own, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	for _, c := range []struct {
		name, method, host string
		header             []string
		passes             bool
	}{
		{"curl", "POST", "127.0.0.1:2019", []string{"User-Agent", "curl/8.5"}, true},
		{"curl by a public name", "POST", "edge.example.com:2019", []string{"User-Agent", "curl/8.5"}, true},
		{"ropeline room", "POST", "edge.example.com:2019", []string{"User-Agent", "Go-http-client/1.1", "Origin", "http://edge.example.com:2019"}, true},
		{"the console", "POST", "localhost:2019", []string{"User-Agent", firefox, "Origin", "http://localhost:2019", "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors"}, true},
		{"the console by IPv6", "POST", "[::1]:2019", []string{"User-Agent", firefox, "Origin", "http://[::1]:2019", "Sec-Fetch-Site", "same-origin"}, true},
		{"the console by the machine's name", "GET", own + ":2019", []string{"User-Agent", firefox}, true},
		{"the console in a private network", "GET", "edge1.internal:2019", []string{"User-Agent", firefox}, true},
		{"typed into the address bar", "GET", "localhost:2019", []string{"User-Agent", firefox, "Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate"}, true},
		{"a link from elsewhere", "GET", "localhost:2019", []string{"User-Agent", firefox, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, true},
		{"a form elsewhere", "POST", "localhost:2019", []string{"User-Agent", firefox, "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, false},
		{"a form elsewhere, old browser", "POST", "localhost:2019", []string{"User-Agent", firefox, "Origin", "https://evil.example"}, false},
		{"a form in a sandbox", "POST", "localhost:2019", []string{"User-Agent", firefox, "Origin", "null"}, false},
		{"another port of this machine", "POST", "localhost:2019", []string{"User-Agent", firefox, "Origin", "http://localhost:8080", "Sec-Fetch-Site", "same-site"}, false},
		{"a picture elsewhere", "GET", "localhost:2019", []string{"User-Agent", firefox, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"}, false},
		{"a name pointed here", "GET", "evil.example:2019", []string{"User-Agent", firefox}, false},
		{"a name pointed here, posting", "POST", "evil.example:2019", []string{"User-Agent", firefox, "Origin", "http://evil.example:2019"}, false},
		{"a name like an address", "GET", "127.0.0.1.evil.example:2019", []string{"User-Agent", firefox}, false},
	} {
		r := httptest.NewRequest(c.method, "http://x/ropeline/rooms/none/pause", nil)
		r.Host = c.host
		for i := 0; i+1 < len(c.header); i += 2 {
			r.Header.Set(c.header[i], c.header[i+1])
		}
		w := httptest.NewRecorder()
		if err := answerAdmin(w, r); err != nil {
			t.Fatal(err)
		}
		if passed := w.Code != http.StatusForbidden; passed != c.passes {
			t.Errorf("%s: %d %s", c.name, w.Code, strings.TrimSpace(w.Body.String()))
		}
		r.Method, w = "GET", httptest.NewRecorder()
		if err := answerConsole(w, r); err != nil {
			t.Fatal(err)
		}
		if got := w.Code == http.StatusOK; c.passes && !got {
			t.Errorf("%s: the console answers %d", c.name, w.Code)
		}
	}
}
