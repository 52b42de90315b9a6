package api

import (
	"net/http"
	"strings"

	"github.com/ropeline/ropeline/core/booking"
)

const maxKey = 255

// idempotencyKey reads the Idempotency-Key header of draft-ietf-httpapi-idempotency-key-header.
// The draft wants a quoted string (RFC 8941); most clients send the bare value, so
// both are taken, and "k" is the same key as k.
func idempotencyKey(r *http.Request) (string, error) {
	values := r.Header.Values("Idempotency-Key")
	switch {
	case len(values) == 0, len(values) == 1 && strings.TrimSpace(values[0]) == "":
		return "", booking.ErrKeyRequired
	case len(values) > 1:
		return "", booking.ErrKeyInvalid.Say("The Idempotency-Key header stands there more than once.")
	}
	key := strings.TrimSpace(values[0])
	if strings.HasPrefix(key, `"`) {
		bare, ok := unquote(key)
		if !ok {
			return "", booking.ErrKeyInvalid.Say("The quoted Idempotency-Key is not a string of RFC 8941.")
		}
		key = bare
	}
	if key == "" || len(key) > maxKey {
		return "", booking.ErrKeyInvalid
	}
	for i := range len(key) {
		if key[i] < 0x20 || key[i] > 0x7e {
			return "", booking.ErrKeyInvalid
		}
	}
	return key, nil
}

// unquote reads an sf-string without parameters.
func unquote(s string) (string, bool) {
	if len(s) < 2 || s[len(s)-1] != '"' {
		return "", false
	}
	var b strings.Builder
	inner := s[1 : len(s)-1]
	for i := 0; i < len(inner); i++ {
		switch inner[i] {
		case '"':
			return "", false
		case '\\':
			i++
			if i == len(inner) || (inner[i] != '"' && inner[i] != '\\') {
				return "", false
			}
		}
		b.WriteByte(inner[i])
	}
	return b.String(), true
}
