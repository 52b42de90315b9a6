package admission

import (
	"strings"
	"testing"
	"time"
)

func loadRing(t *testing.T, dir string) *Keyring {
	t.Helper()
	r, err := LoadKeys(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// W54, AT17: a rotation re-queues nobody: what the old key signed is good to its end, the new one is published before
// it signs, and after the old one's end only the new one counts.
func TestRotation(t *testing.T) {
	dir := t.TempDir() + "/keys"
	if err := CreateKeys(dir, t0); err != nil {
		t.Fatal(err)
	}
	before := loadRing(t, dir)
	now := t0.Add(time.Hour)
	p := goodPass()
	at := func(now time.Time) Pass {
		q := p
		q.IssuedAt, q.NotBefore, q.Expires, q.Hard = now, now, now.Add(PassLife), now.Add(time.Hour)
		return q
	}
	next, err := RotateKey(dir, UsePass, now)
	if err != nil {
		t.Fatal(err)
	}
	r := loadRing(t, dir)
	if !strings.Contains(string(r.JWKS(now)), next.Kid) {
		t.Error("the new key is not published at once")
	}
	sign := func(now time.Time) string {
		t.Helper()
		raw, err := r.SignPass(at(now))
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	last := next.NotBefore.Add(-Leeway - time.Second)
	old := sign(last)
	if _, err := before.VerifyPass(old, p.Room, last); err != nil {
		t.Error("an edge that has not seen the new key yet refuses a pass of one that has:", err)
	}
	end := at(last).Expires.Add(Leeway)
	if _, err := r.VerifyPass(old, p.Room, end); err != nil {
		t.Error("a pass of the old key does not live to its end:", err)
	}
	fresh := sign(next.NotBefore)
	if _, err := before.VerifyPass(fresh, p.Room, next.NotBefore); err == nil {
		t.Error("the new key does not sign when its time has come")
	}
	for _, k := range r.Keys() {
		if k.Use == UsePass && k.Kid != next.Kid && k.Phase(r, end.Add(time.Hour)) != "retired" {
			t.Errorf("key %s is %s an hour later", k.Kid, k.Phase(r, end.Add(time.Hour)))
		}
	}
	if strings.Count(string(r.JWKS(end.Add(time.Hour))), `"kid"`) != 1 {
		t.Error("the retired key is still published")
	}
	if _, err := RotateKey(dir, UsePass, now.Add(time.Minute)); err == nil || !strings.Contains(err.Error(), "rotate again after") {
		t.Errorf("rotated twice: %v", err)
	}
	// Tickets live as long as their retention.
	tk := Ticket{Room: "a", VID: NewVID(), Index: 5, IssuedAt: now}
	ticket, _ := r.SignTicket(tk)
	if _, err := RotateKey(dir, UseTicket, now); err != nil {
		t.Fatal(err)
	}
	r = loadRing(t, dir)
	if _, err := r.VerifyTicket(ticket, "a", now.Add(TicketRetention)); err != nil {
		t.Error(err)
	}
	if _, err := RotateKey(dir, UseDraw, now); err == nil {
		t.Error("a draw key was rotated")
	}
}

// AT18: a recalled key and all it signed are refused at once, and somebody signs in its place.
func TestRecalledKeys(t *testing.T) {
	dir := t.TempDir() + "/keys"
	if err := CreateKeys(dir, t0); err != nil {
		t.Fatal(err)
	}
	r := loadRing(t, dir)
	p := goodPass()
	raw, err := r.SignPass(p)
	if err != nil {
		t.Fatal(err)
	}
	signer, _ := r.signer(UsePass, t0)
	next, err := RecallKey(dir, signer.Kid, t0)
	if err != nil || next == nil {
		t.Fatal(next, err)
	}
	r = loadRing(t, dir)
	_, err = r.VerifyPass(raw, p.Room, t0)
	wantReason(t, err, ReasonKey)
	if strings.Contains(string(r.JWKS(t0)), signer.Kid) {
		t.Error("a recalled key is published")
	}
	if raw, err = r.SignPass(p); err != nil {
		t.Fatal(err)
	}
	if _, err := r.VerifyPass(raw, p.Room, t0); err != nil {
		t.Error(err)
	}
	if _, err := RecallKey(dir, "none", t0); err == nil || !strings.Contains(err.Error(), "keys list") {
		t.Error(err)
	}
}
