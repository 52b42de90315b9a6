package admission

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

func TestVerifier(t *testing.T) {
	ring := atomic.Pointer[Keyring]{}
	ring.Store(testRing(t))
	var fetches, broken atomic.Int64
	broken.Store(1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fetches.Add(1)
		if broken.Load() == 1 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		_, _ = w.Write(ring.Load().JWKS(t0))
	}))
	defer srv.Close()
	v, err := NewVerifier(Options{JWKSURL: srv.URL, Room: "boxoffice"})
	if err != nil {
		t.Fatal(err)
	}
	if fetches.Load() != 0 {
		t.Error("fetched before it was needed")
	}
	p := goodPass()
	raw, _ := ring.Load().SignPass(p)
	_, err = v.Verify(raw, t0)
	wantReason(t, err, ReasonUnavailable)
	broken.Store(0)
	_, err = v.Verify(raw, t0.Add(time.Second)) // within the retry interval: not asked again
	wantReason(t, err, ReasonUnavailable)
	now := t0.Add(11 * time.Second)
	if got, err := v.Verify(raw, now); err != nil || got != p {
		t.Fatalf("%+v %v", got, err)
	}
	if n := fetches.Load(); n != 2 {
		t.Errorf("%d fetches, want 2", n)
	}
	for range 50 { // unknown kids do not make us hammer the edge
		other, _ := testRing(t).SignPass(p)
		_, err := v.Verify(other, now)
		wantReason(t, err, ReasonKey)
	}
	if n := fetches.Load(); n != 2 {
		t.Errorf("%d fetches, want 2", n)
	}
	// A rotated key is found by the first pass that names it, the old one goes when the set is old.
	ring.Store(testRing(t))
	fresh, _ := ring.Load().SignPass(p)
	now = now.Add(11 * time.Second)
	if _, err := v.Verify(fresh, now); err != nil {
		t.Error(err)
	}
	_, err = v.Verify(raw, now)
	wantReason(t, err, ReasonKey)
	// The edge is away: known keys go on.
	broken.Store(1)
	late := p
	late.IssuedAt, late.NotBefore, late.Expires = t0.Add(10*time.Minute), t0.Add(10*time.Minute), t0.Add(14*time.Minute)
	raw, _ = ring.Load().SignPass(late)
	if _, err := v.Verify(raw, t0.Add(11*time.Minute)); err != nil {
		t.Error(err)
	}
	wrong, _ := NewVerifier(Options{JWKSURL: srv.URL, Room: "other"})
	broken.Store(0)
	_, err = wrong.Verify(raw, t0.Add(11*time.Minute))
	wantReason(t, err, ReasonRoom)
	for _, o := range []Options{{}, {JWKSURL: "boxoffice", Room: "a"}, {JWKSURL: "ftp://x/y", Room: "a"}, {JWKSURL: srv.URL}} {
		if _, err := NewVerifier(o); err == nil {
			t.Errorf("%+v accepted", o)
		}
	}
}
