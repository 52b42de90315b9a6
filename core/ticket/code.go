package ticket

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
)

const (
	prefix = "RL1."
	domain = "ropeline-ticket-1"

	keyIDSize  = 4
	headSize   = keyIDSize + 8 + 16 + 4 + 2
	maxLabel   = 120 // bytes; the QR code stays readable on a cracked phone
	maxCodeLen = 4 + (headSize+maxLabel+ed25519.SignatureSize)*4/3 + 4
)

// Claims are what a ticket says.
type Claims struct {
	Event       int64
	Ticket      uuid.UUID
	HoldVersion int32  // of the seat when it was sold: tells a resold seat's tickets apart
	Unit        int16  // 1, 2, ... among places without seat numbers
	Label       string // what a person at the door reads: "Block A, row 3, seat 12"
}

// The ways in which a code is not a ticket.
var (
	ErrMalformed = errors.New("ticket: this is not a ticket code")
	ErrKey       = errors.New("ticket: signed with a key we do not know")
	ErrForged    = errors.New("ticket: the signature does not verify")
)

// Sign makes the code of a ticket.
func (s *Signer) Sign(c Claims) string {
	b := make([]byte, 0, headSize+maxLabel+ed25519.SignatureSize)
	b = append(b, s.id[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(c.Event))
	b = append(b, c.Ticket[:]...)
	b = binary.BigEndian.AppendUint32(b, uint32(c.HoldVersion))
	b = binary.BigEndian.AppendUint16(b, uint16(c.Unit))
	b = append(b, shorten(c.Label)...)
	b = append(b, ed25519.Sign(s.key, message(b))...)
	return prefix + base64.RawURLEncoding.EncodeToString(b)
}

// shorten cuts a label between characters.
func shorten(label string) string {
	label = strings.ToValidUTF8(label, "")
	for len(label) > maxLabel {
		_, n := utf8.DecodeLastRuneInString(label)
		label = label[:len(label)-n]
	}
	return label
}

func message(body []byte) []byte { return append([]byte(domain), body...) }

// Verify reads a code and checks its signature against keys.
func Verify(keys []ed25519.PublicKey, code string) (Claims, error) {
	if len(code) > maxCodeLen || !strings.HasPrefix(code, prefix) {
		return Claims{}, ErrMalformed
	}
	// Strict: two texts for one ticket would let a list of scanned codes be fooled.
	b, err := base64.RawURLEncoding.Strict().DecodeString(code[len(prefix):])
	if err != nil {
		return Claims{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if len(b) < headSize+ed25519.SignatureSize {
		return Claims{}, ErrMalformed
	}
	body, sig := b[:len(b)-ed25519.SignatureSize], b[len(b)-ed25519.SignatureSize:]
	for _, k := range keys {
		if id := keyID(k); string(id[:]) != string(body[:keyIDSize]) {
			continue
		}
		if !ed25519.Verify(k, message(body), sig) {
			return Claims{}, ErrForged
		}
		return read(body[keyIDSize:]), nil
	}
	return Claims{}, ErrKey
}

func read(b []byte) Claims {
	return Claims{
		Event:       int64(binary.BigEndian.Uint64(b)),
		Ticket:      uuid.UUID(b[8:24]),
		HoldVersion: int32(binary.BigEndian.Uint32(b[24:])),
		Unit:        int16(binary.BigEndian.Uint16(b[28:])),
		Label:       string(b[30:]),
	}
}
