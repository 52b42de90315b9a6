package wire

import (
	"net/http"
	"strings"
	"testing"
)

func TestStripCookies(t *testing.T) {
	for in, want := range map[string]string{
		"a=1; rl-p-main=x; b=2":                  "a=1; b=2",
		"rl-p-main=x; a=1":                       "a=1",
		"rl-t-main=x":                            "",
		"__Host-rl-t-other=x;a=1":                "a=1",
		"a=1;rl-t-main=x;  b=\"q;r\"":            "a=1;  b=\"q;r\"",
		"a=rl-t-main; b==; c":                    "a=rl-t-main; b==; c",
		"  rl-p-main = x ; a=1":                  "a=1",
		"rl-t-main; a=1":                         "a=1",
		"__Secure-rl-p-main=1; __Host-session=2": "__Host-session=2",
	} {
		if got := stripCookieLine(in); got != want {
			t.Errorf("%q\n got %q\nwant %q", in, got, want)
		}
	}
}

func FuzzCookieHeader(f *testing.F) {
	for _, s := range []string{"a=1; rl-p-main=x", "rl-t-main=x;;=; a", "\x00rl-p-a=1", " __Host-rl-t-x = y;b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		h := http.Header{"Cookie": {s}}
		StripCookies(h)
		left := strings.Join(h["Cookie"], ";")
		for _, c := range (&http.Request{Header: h}).Cookies() {
			if OurCookie(c.Name) {
				t.Fatalf("%q left %q in %q", s, c.Name, left)
			}
		}
		var kept []string
		for _, p := range strings.Split(s, ";") {
			name, _, _ := strings.Cut(p, "=")
			if !OurCookie(strings.TrimSpace(name)) {
				kept = append(kept, p)
			}
		}
		if want := strings.TrimLeft(strings.Join(kept, ";"), " "); strings.TrimLeft(left, " ") != want {
			t.Fatalf("%q\n got %q\nwant %q", s, left, want)
		}
	})
}
