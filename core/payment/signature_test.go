package payment

import (
	"encoding/hex"
	"errors"
	"strconv"
	"testing"
	"time"
)

// TestVerifyStamped (B29, AB21): the window is two-sided and exact to the second, one byte
// of white space is too much, and either of two secrets does.
func TestVerifyStamped(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	body := []byte(`{"id": "evt_1"}`)
	header := func(secret string, at time.Time, body []byte) string {
		ts := strconv.FormatInt(at.Unix(), 10)
		return "t=" + ts + ",v1=" + hex.EncodeToString(StampedMAC(secret, ts, body))
	}
	secrets := []string{"new", "old"}
	for name, tc := range map[string]struct {
		header string
		body   string
		ok     bool
	}{
		"now":                  {header("new", now, body), string(body), true},
		"the secret before":    {header("old", now, body), string(body), true},
		"another secret":       {header("evil", now, body), string(body), false},
		"299 s old":            {header("new", now.Add(-299*time.Second), body), string(body), true},
		"299 s ahead":          {header("new", now.Add(299*time.Second), body), string(body), true},
		"301 s old":            {header("new", now.Add(-301*time.Second), body), string(body), false},
		"301 s ahead":          {header("new", now.Add(301*time.Second), body), string(body), false},
		"a space more":         {header("new", now, body), string(body) + " ", false},
		"no signature":         {"t=1800000000", string(body), false},
		"no time":              {"v1=00", string(body), false},
		"nothing":              {"", string(body), false},
		"a good one among bad": {"t=1800000000,v1=00,v1=" + header("old", now, body)[len("t=1800000000,v1="):], string(body), true},
	} {
		err := VerifyStamped(tc.header, []byte(tc.body), secrets, now)
		if (err == nil) != tc.ok || err != nil && !errors.Is(err, ErrSignature) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
