package hold

import (
	"crypto/rand"
	"crypto/sha256"
	"strings"
)

// A presale code has 13 letters of Crockford's alphabet, 65 bits: too many to guess at
// five tries a minute, and no two that look alike.
const (
	codeLetters  = 13
	codeAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	maxCode      = 64 // bytes of what somebody types
)

// NewCode makes a presale code, written in groups: "7K2M-Q0XW9-3TBD".
func NewCode() string {
	var random [codeLetters]byte
	_, _ = rand.Read(random[:]) // never fails
	var b strings.Builder
	for i, r := range random {
		if i == 4 || i == 9 {
			b.WriteByte('-')
		}
		b.WriteByte(codeAlphabet[r%32]) // 256 is a multiple of 32: no letter is likelier
	}
	return b.String()
}

// codeSpelling forgives what people do to a code when they copy it from paper.
var codeSpelling = strings.NewReplacer("-", "", " ", "", "O", "0", "I", "1", "L", "1")

// CodeHash is what is kept of a code. Codes are random, so a plain hash is as good as
// a slow one.
func CodeHash(code string) []byte {
	if len(code) > maxCode {
		code = code[:maxCode]
	}
	h := sha256.Sum256([]byte("ropeline presale code " + codeSpelling.Replace(strings.ToUpper(code))))
	return h[:]
}
