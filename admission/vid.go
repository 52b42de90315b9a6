package admission

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
)

// vidBytes is the size of a visitor id: 128 random bits cannot be guessed and never collide in one room.
const vidBytes = 16

// strict64 has one encoding for each value: no padding, and the unused bits of the last character are zero.
var strict64 = base64.RawURLEncoding.Strict()

// VID names one visitor of one room: 16 random bytes, written as 22 characters of base64url. The text is the
// identity: the store keys by it and the draw hashes it.
type VID string

// NewVID draws a visitor id. crypto/rand never fails on the platforms we build for.
func NewVID() VID {
	var b [vidBytes]byte
	_, _ = rand.Read(b[:])
	return VID(strict64.EncodeToString(b[:]))
}

// ParseVID accepts exactly the texts that NewVID can return.
func ParseVID(s string) (VID, error) {
	if b, err := decode64(s); err != nil || len(b) != vidBytes {
		return "", fmt.Errorf("visitor id: want %d bytes of base64url, have %q", vidBytes, clip(s))
	}
	return VID(s), nil
}

// decode64 is strict: encoding/base64 skips line breaks even in strict mode, which would give one token many texts.
func decode64(s string) ([]byte, error) {
	for i := 0; i < len(s); i++ {
		if s[i] == '\n' || s[i] == '\r' {
			return nil, base64.CorruptInputError(i)
		}
	}
	return strict64.DecodeString(s)
}

// clip keeps what strangers send out of our messages beyond a readable length.
func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "..."
	}
	return s
}
