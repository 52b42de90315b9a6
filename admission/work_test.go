package admission

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"
)

var workTime = time.Unix(1_800_000_000, 0)

func aChallenge() Challenge {
	return Challenge{Room: "main", Epoch: 3, VID: NewVID(), Prefix: netip.MustParsePrefix("203.0.113.0/24"), Bits: 6, IssuedAt: workTime, Expires: workTime.Add(time.Minute), Terms: [8]byte{1, 2, 3, 4, 5, 6, 7, 8}}
}

func workRing(t testing.TB) *Keyring {
	t.Helper()
	at := workTime.Add(-time.Hour)
	r, err := NewKeyring(NewKey(UseTicket, AlgHS256, at), NewKey(UsePass, AlgEdDSA, at), NewKey(UseDraw, AlgHS256, at))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestChallengeSaysWhatWasSigned(t *testing.T) {
	ring := workRing(t)
	for _, prefix := range []string{"203.0.113.0/24", "203.0.113.7/32", "2001:db8::/48", "0.0.0.0/0", "::/0", ""} {
		c := aChallenge()
		c.Prefix = netip.Prefix{}
		if prefix != "" {
			c.Prefix = netip.MustParsePrefix(prefix)
		}
		raw, err := ring.SignChallenge(c)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ring.VerifyChallenge(raw, "main", workTime)
		if err != nil || got != c {
			t.Errorf("%q: %+v, want %+v (%v)", prefix, got, c, err)
		}
	}
}

// A solution holds for its challenge alone; one of another room, too old, or with a bit changed is refused.
func TestWork(t *testing.T) {
	ring := workRing(t)
	c := aChallenge()
	raw, err := ring.SignChallenge(c)
	if err != nil {
		t.Fatal(err)
	}
	solution := SolveWork(raw, c.Bits)
	if err := CheckWork(raw, c.Bits, solution); err != nil {
		t.Fatal(err)
	}
	other, _ := ring.SignChallenge(aChallenge())
	for name, bad := range map[string]string{"empty": "", "one part": "1", "a part too many": solution + ".1", "leading zero": "0" + solution, "a sign": "+" + solution, "letters": strings.Replace(solution, ".", ".x", 1),
		"beyond 32 bits": "4294967296" + solution[strings.Index(solution, "."):], "all the same": strings.TrimSuffix(strings.Repeat("0.", WorkParts), ".")} {
		if CheckWork(raw, c.Bits, bad) == nil {
			t.Errorf("%s: taken", name)
		}
	}
	if CheckWork(other, c.Bits, solution) == nil || CheckWork(raw, 0, solution) == nil || CheckWork(raw, MaxWorkBits, solution) == nil {
		t.Error("a solution of something else was taken")
	}
	reason := func(err error) Reason {
		var inv *Invalid
		if errors.As(err, &inv) {
			return inv.Reason
		}
		return ""
	}
	_, err = ring.VerifyChallenge(raw, "other", workTime)
	if reason(err) != ReasonRoom {
		t.Error(err)
	}
	if _, err = ring.VerifyChallenge(raw, "main", workTime.Add(2*time.Minute)); reason(err) != ReasonExpired {
		t.Error(err)
	}
	if _, err = workRing(t).VerifyChallenge(raw, "main", workTime); reason(err) != ReasonKey {
		t.Error(err)
	}
	for i := range raw {
		for _, by := range []byte("Ax.0") {
			if raw[i] == by {
				continue
			}
			if _, err := ring.VerifyChallenge(raw[:i]+string(by)+raw[i+1:], "main", workTime); err == nil {
				t.Fatalf("byte %d changed to %c: taken", i, by)
			}
		}
	}
}

// AT9: whatever we sign is of one kind. None works as another.
func TestEachTokenIsOfOneKind(t *testing.T) {
	ring := workRing(t)
	challenge, err1 := ring.SignChallenge(aChallenge())
	invite, err2 := ring.SignInvitation(Invitation{Room: "main", ID: NewVID(), IssuedAt: workTime, Expires: workTime.Add(time.Hour)})
	ticket, err3 := ring.SignTicket(Ticket{Room: "main", Epoch: 1, VID: NewVID(), Index: 4, IssuedAt: workTime})
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	checks := map[string]func(string) error{
		"challenge":  func(raw string) error { _, err := ring.VerifyChallenge(raw, "main", workTime); return err },
		"invitation": func(raw string) error { _, err := ring.VerifyInvitation(raw, "main", workTime); return err },
		"ticket":     func(raw string) error { _, err := ring.VerifyTicket(raw, "main", workTime); return err },
		"pass":       func(raw string) error { _, err := NewChecker(ring, "main").Verify(raw, workTime); return err },
	}
	for is, raw := range map[string]string{"challenge": challenge, "invitation": invite, "ticket": ticket} {
		for as, check := range checks {
			if err := check(raw); (err == nil) != (is == as) {
				t.Errorf("a %s as %s: %v", is, as, err)
			}
			if err := check(SolveWork(raw, 1)); err == nil {
				t.Errorf("a solution as %s: taken", as)
			}
		}
	}
	if _, err := ring.VerifyInvitation(invite, "other", workTime); err == nil {
		t.Error("an invitation to another room")
	}
	if _, err := ring.VerifyInvitation(invite, "main", workTime.Add(2*time.Hour)); err == nil {
		t.Error("an invitation that has ended")
	}
}

// Nothing strangers send as challenge or solution is taken but what was signed and solved.
func FuzzWork(f *testing.F) {
	ring := workRing(f)
	c := aChallenge()
	good, err := ring.SignChallenge(c)
	if err != nil {
		f.Fatal(err)
	}
	solved := SolveWork(good, c.Bits)
	f.Add(good, solved)
	f.Add(good+"A", "0.0.0")
	f.Add("", strings.Repeat("4294967295.", 15)+"4294967295")
	f.Fuzz(func(t *testing.T, raw, solution string) {
		got, err := ring.VerifyChallenge(raw, "main", workTime)
		if (err == nil) != (raw == good) || err == nil && got != c {
			t.Fatalf("%q: %+v %v", raw, got, err)
		}
		if err := CheckWork(raw, 8, solution); err == nil {
			for i, n := range strings.Split(solution, ".") {
				if strings.TrimLeft(n, "0123456789") != "" || i >= WorkParts {
					t.Fatalf("%q taken", solution)
				}
			}
		}
	})
}
