package wire

import (
	"bufio"
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"
)

// request reads a request-target as a server does; nil when it refuses it.
func request(target string) *http.Request {
	if strings.ContainsAny(target, "\r\n") {
		return nil // the end of a line, or smuggling: the server's business
	}
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader("GET " + target + " HTTP/1.1\r\nHost: edge.test\r\n\r\n")))
	if err != nil {
		return nil
	}
	return r
}

func TestPlainPath(t *testing.T) {
	for target, want := range map[string]bool{
		"/": true, "/a": true, "/a/": true, "/a/b.css": true, "/a%20b.png": true, "/(group)/x.js": true, "/a?x=%2e%2e/": true, "/%C3%A9": true, "/a/b/..c": true,
		"//a": false, "/a//b": false, "/a/../b": false, "/a/./b": false, "/%2e%2e/a": false, "/a%2fb": false, "/%61": false, "/%252e": false, `/a\b`: false, "/a%5cb": false, "/a;b": false, "/a%3bb": false,
		"/a%00": false, "/a/..": false, "/.": false, "/a%0d%0a": false,
	} {
		r := request(target)
		if r == nil {
			t.Fatalf("%q cannot be read", target)
		}
		if got := PlainPath(r.URL); got != want {
			t.Errorf("%q: %v", target, got)
		}
	}
}

// However an origin reads a plain path, it is the same one: decoded once more, cleaned, cut at a semicolon, with
// backslashes for slashes.
func FuzzPath(f *testing.F) {
	for _, s := range []string{"/assets/x", "/assets/..%2fcheckout", "/a;b", `/a\..\b`, "/%252e%252e/", "/(g)/x%20y", "//x", "/a/./b/", "/assets/%u002e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r := request(s)
		if r == nil || !PlainPath(r.URL) {
			return
		}
		p := r.URL.Path
		for range 3 {
			if more, err := url.PathUnescape(p); err == nil && more != p {
				t.Fatalf("%q: %q decodes to %q", s, p, more)
			}
		}
		read := strings.ReplaceAll(p, `\`, "/")
		read, _, _ = strings.Cut(read, ";")
		if clean := path.Clean(read); clean != strings.TrimSuffix(p, "/") && p != "/" {
			t.Fatalf("%q: %q is read as %q", s, p, clean)
		}
		for seg := range strings.SplitSeq(p, "/") {
			if seg == ".." || seg == "." {
				t.Fatalf("%q: a segment %q", s, seg)
			}
		}
	})
}

// A redirect to the same URL stays on the site, for Go and for browsers, and changes no byte of it.
func FuzzReturnTarget(f *testing.F) {
	for _, s := range []string{"/", "//evil.test/x", `/\evil.test`, "/a?b=//evil.test", "/%2f%2fevil.test", "/x#y", "///", "/?", "/\\\\x", "/é"} {
		f.Add(s)
	}
	const site = "https://edge.test"
	base, _ := url.Parse(site + "/")
	f.Fuzz(func(t *testing.T, s string) {
		r := request(s)
		if r == nil || r.RequestURI == "" || r.RequestURI[0] != '/' {
			return
		}
		to := Location(r.RequestURI, site)
		if !strings.HasSuffix(to, r.RequestURI) {
			t.Fatalf("%q became %q", r.RequestURI, to)
		}
		for _, read := range []string{to, strings.ReplaceAll(to, `\`, "/"), strings.NewReplacer("\t", "", `\`, "/").Replace(to)} {
			u, err := base.Parse(read)
			if err == nil && (u.Host != "edge.test" || u.Scheme != "https") {
				t.Fatalf("%q leads to %q", s, u)
			}
			if err != nil && strings.HasPrefix(read, "//") {
				t.Fatalf("%q leads elsewhere: %q", s, read)
			}
		}
	})
}
