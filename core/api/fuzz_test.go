package api

import (
	"errors"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/ropeline/ropeline/core/problem"
)

// What strangers send is taken or refused in words of ours, and never more than it says.

func FuzzIdempotencyKey(f *testing.F) {
	for _, seed := range []string{"k", `"k"`, `"a\\"b"`, `"a\"b"`, "", " ", "\x00", strings.Repeat("k", 256)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		r := httptest.NewRequest("POST", "/", nil)
		r.Header["Idempotency-Key"] = []string{header}
		key, err := idempotencyKey(r)
		if err != nil {
			if p := problem.As(err); p == nil || p.Status != 400 {
				t.Fatalf("%q: %v, want a refusal with 400", header, err)
			}
			return
		}
		if key == "" || len(key) > maxKey || strings.ContainsFunc(key, func(r rune) bool { return r < 0x20 || r > 0x7e }) {
			t.Fatalf("%q gives the key %q", header, key)
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"seats":[1]}`, `{"seats":[1.5]}`, `{"seats":[` + strings.Repeat("9", 5000) + `]}`, `{"places":[{"counter":1,"quantity":2}]}`, `{"replace":"x"}`, `{"a":1}`, `[`, `{} {}`, `null`} {
		f.Add([]byte(seed))
	}
	r := httptest.NewRequest("POST", "/", nil)
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	f.Fuzz(func(t *testing.T, body []byte) {
		var into holdBody
		err := decode(r, body, &into)
		if err == nil {
			return
		}
		var p *problem.Error
		if !errors.As(err, &p) || (p.Status != 400 && p.Status != 422) {
			t.Fatalf("%q: %v, want a refusal with 400 or 422", body, err)
		}
		if len(p.Detail) > 1000 {
			t.Fatalf("%q: the refusal repeats %d bytes", body, len(p.Detail))
		}
	})
}

func FuzzLocalPath(f *testing.F) {
	for _, seed := range []string{"/orders", "//evil", `/\evil`, "/\t/evil", "https://evil", "/a?b#c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, to string) {
		got := localPath(to)
		base := &url.URL{Scheme: "https", Host: "shop.example", Path: "/sign-in"}
		u, err := base.Parse(got)
		if err == nil && u.Host != base.Host {
			t.Fatalf("%q leads to %s", to, u)
		}
	})
}
