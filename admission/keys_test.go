package admission

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestKeyDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "keys")
	if _, err := LoadKeys(dir); !errors.Is(err, ErrNoKeys) || !strings.Contains(err.Error(), "ropeline keys init "+dir) {
		t.Fatalf("a missing directory must name the command that makes it: %v", err)
	}
	r, err := LoadOrCreateKeys(dir, t0)
	if err != nil {
		t.Fatal(err)
	}
	again, err := LoadOrCreateKeys(dir, t0.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	p := goodPass()
	raw, err := r.SignPass(p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := again.VerifyPass(raw, p.Room, t0); err != nil {
		t.Error("keys do not survive a restart:", err)
	}
	if err := CreateKeys(dir, t0); err == nil {
		t.Error("keys were overwritten")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(files) != 3 {
		t.Errorf("%d files, want 3", len(files))
	}
	for _, f := range files {
		if st, _ := os.Stat(f); st.Mode().Perm() != 0o600 {
			t.Errorf("%s is %v", f, st.Mode())
		}
	}
}

func TestDamagedKeyFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	if err := CreateKeys(dir, t0); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "ticket-*.json"))
	good, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ old, new, want string }{
		"not JSON":      {"{", "", "json"},
		"unknown field": {`"use"`, `"usage"`, "usage"},
		"other alg":     {"HS256", "RS256", "want HS256"},
		"EdDSA ticket":  {"HS256", "EdDSA", "want HS256"},
		"other use":     {`"use": "ticket"`, `"use": "tickets"`, "want ticket, pass or draw"},
		"other name":    {`"kid": "ticket-`, `"kid": "ticket-x`, "does not match"},
		"short key":     {`"key": "`, `"key": "AA`, "32 bytes"},
	} {
		if err := os.WriteFile(files[0], bytes.Replace(good, []byte(c.old), []byte(c.new), 1), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := LoadKeys(dir)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadKeys(dir); err == nil || !strings.Contains(err.Error(), `use "ticket"`) {
		t.Errorf("a set without ticket key: %v", err)
	}
}

func TestRotationAndRecall(t *testing.T) {
	old, next := NewKey(UsePass, AlgEdDSA, t0.Add(-time.Hour)), NewKey(UsePass, AlgEdDSA, t0.Add(10*time.Minute))
	r, err := NewKeyring(old, next, NewKey(UseTicket, AlgHS256, t0), NewKey(UseDraw, AlgHS256, t0))
	if err != nil {
		t.Fatal(err)
	}
	if k, _ := r.signer(UsePass, t0); k != old {
		t.Error("the new key signs before its time")
	}
	if k, _ := r.signer(UsePass, t0.Add(11*time.Minute)); k != next {
		t.Error("the new key does not take over")
	}
	if !bytes.Contains(r.JWKS(t0), []byte(next.Kid)) {
		t.Error("the new key is not published before it signs")
	}
	p := goodPass()
	raw, _ := r.SignPass(p)
	c := NewChecker(r, p.Room)
	if _, err := c.Verify(raw, t0); err != nil {
		t.Fatal(err)
	}
	c.Bind(raw, "a ticket")
	old.Recalled = true
	_, err = c.Verify(raw, t0)
	wantReason(t, err, ReasonKey)
	_, together, err := c.VerifyBeside(raw, []string{"a ticket"}, t0)
	if wantReason(t, err, ReasonKey); together {
		t.Error("a pass of a recalled key is bound")
	}
	if bytes.Contains(r.JWKS(t0), []byte(old.Kid)) {
		t.Error("a recalled key is still published")
	}
	old.Recalled, old.RetireAt = false, t0
	_, err = c.Verify(raw, t0.Add(time.Second))
	wantReason(t, err, ReasonKey)
}

// AT15: a pass belongs to no ticket until somebody has found so, then to that one alone, wherever it stands among others.
func TestPassBesideItsTicket(t *testing.T) {
	r, err := NewKeyring(NewKey(UsePass, AlgEdDSA, t0.Add(-time.Hour)), NewKey(UseTicket, AlgHS256, t0), NewKey(UseDraw, AlgHS256, t0))
	if err != nil {
		t.Fatal(err)
	}
	p := goodPass()
	c := NewChecker(r, p.Room)
	raw, err := c.Sign(p)
	if err != nil {
		t.Fatal(err)
	}
	foreign, _ := r.SignPass(p) // by another edge
	c.Bind("unknown", "mine")   // nothing to bind
	is := func(raw string, want bool, tickets ...string) {
		t.Helper()
		got, together, err := c.VerifyBeside(raw, tickets, t0)
		if err != nil || got.VID != p.VID || together != want {
			t.Errorf("beside %q: together %v, %v", tickets, together, err)
		}
	}
	is(raw, false, "mine")
	is(raw, false)
	c.Bind(raw, "mine")
	is(raw, true, "mine")
	is(raw, true, "planted", "mine")
	is(raw, false, "planted")
	is(raw, false)
	if foreign != raw {
		is(foreign, false, "mine")
	}
	if _, together, err := c.VerifyBeside(raw, []string{"mine"}, p.Expires.Add(time.Hour)); err == nil || together {
		t.Error("a pass that is over is still together")
	}
}

func TestCheckerIsBounded(t *testing.T) {
	var s shard
	s.seen = map[[32]byte]cached{}
	for i := range 3 * cacheEntries / cacheShards {
		s.put([32]byte{byte(i), byte(i >> 8), byte(i >> 16)}, cached{})
	}
	if len(s.seen) != cacheEntries/cacheShards {
		t.Errorf("%d entries in a shard", len(s.seen))
	}
}
