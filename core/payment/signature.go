package payment

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"
)

const (
	// signatureWindow is how far a webhook's time stamp may be off, both ways: an old one
	// may be a replay, one of the future was not made by a clock.
	signatureWindow = 300

	maxSignatures = 8 // v1 values looked at in one header
)

// StampedMAC is the HMAC-SHA256 of "<ts>.<body>".
func StampedMAC(secret, ts string, body []byte) []byte {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(ts))
	h.Write([]byte("."))
	h.Write(body)
	return h.Sum(nil)
}

// VerifyStamped verifies a header "t=<unix seconds>,v1=<hex>" over a body at now, with
// any of the secrets: the new one and the one before, while they rotate.
func VerifyStamped(header string, body []byte, secrets []string, now time.Time) error {
	var ts string
	var given [][]byte
	for part := range strings.SplitSeq(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "t":
			ts = value
		case "v1":
			if b, err := hex.DecodeString(value); err == nil && len(given) < maxSignatures {
				given = append(given, b)
			}
		}
	}
	sec, err := strconv.ParseInt(ts, 10, 64)
	if err != nil {
		return fmt.Errorf("%w: no time stamp", ErrSignature)
	}
	// Whole seconds, as the stamp is: exactly 300 s off is accepted, 301 is not.
	if off := now.Unix() - sec; off > signatureWindow || off < -signatureWindow {
		return fmt.Errorf("%w: time stamp off by %d s, allowed are %d", ErrSignature, off, signatureWindow)
	}
	// Every pair is compared, whatever matched before, in constant time.
	ok := false
	for _, secret := range secrets {
		want := StampedMAC(secret, ts, body)
		for _, g := range given {
			ok = hmac.Equal(want, g) || ok
		}
	}
	if !ok {
		return fmt.Errorf("%w: no signature matches", ErrSignature)
	}
	return nil
}
