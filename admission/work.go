package admission

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

const (
	// WorkParts is how many numbers a solution has. Many small puzzles in place of one big one: the time they take
	// varies little, and a page can show how far it is.
	WorkParts = 16
	// MaxWorkBits bounds what may be asked of a browser: 16 times 2^20 hashes.
	MaxWorkBits = 20

	workVersion  = 2
	maxChallenge = 512
	workBody     = 1 + 1 + 8 + vidBytes + 1 + 16 + 1 + 8 + 8 + 8 // and the room's name
)

// Challenge is what a newcomer has to solve before it gets a place. It names the visitor that the place will be
// for: a solution sent twice is the same visitor joining twice, which gives one place. So a solution is spent with
// its place, at every edge, and nobody has to remember which were used.
type Challenge struct {
	Room     string
	Epoch    int64
	VID      VID
	Prefix   netip.Prefix // the network it was given to; zero: anybody
	Bits     int          // zero bits of each part
	IssuedAt time.Time
	Expires  time.Time
	Terms    [8]byte // a digest of what the room asks of newcomers, for the caller to compare
}

// SignChallenge authenticates with a key derived from the ticket key in force. The text is <kid>.<fields>.<mac>. Each
// field has its length, fixed or in front of it: no two challenges are the same bytes.
func (r *Keyring) SignChallenge(c Challenge) (string, error) {
	k, err := r.signer(UseTicket, c.IssuedAt)
	if err != nil {
		return "", err
	}
	vid, err := decode64(string(c.VID))
	if err != nil || len(vid) != vidBytes || len(c.Room) > 255 || c.Bits < 1 || c.Bits > MaxWorkBits {
		return "", invalid(ReasonClaims, "a challenge with a field out of its range")
	}
	b := make([]byte, 0, workBody+len(c.Room))
	b = append(b, workVersion, byte(len(c.Room)))
	b = append(b, c.Room...)
	b = binary.BigEndian.AppendUint64(b, uint64(c.Epoch))
	b = append(b, vid...)
	width, addr := byte(0), [16]byte{}
	if c.Prefix.IsValid() {
		addr = c.Prefix.Addr().As16()
		width = byte(c.Prefix.Bits() + 1)
		if c.Prefix.Addr().Is4() {
			width += 96
		}
	}
	b = append(append(b, width), addr[:]...)
	b = append(b, byte(c.Bits))
	b = binary.BigEndian.AppendUint64(b, uint64(c.IssuedAt.UnixMilli()))
	b = binary.BigEndian.AppendUint64(b, uint64(c.Expires.UnixMilli()))
	b = append(b, c.Terms[:]...)
	return k.Kid + "." + strict64.EncodeToString(b) + "." + strict64.EncodeToString(k.workMAC(b)), nil
}

// workMAC keeps the derived key apart from the one that signs tickets.
func (k *Key) workMAC(b []byte) []byte {
	m := hmac.New(sha256.New, k.secret)
	m.Write([]byte("ropeline work 1"))
	m = hmac.New(sha256.New, m.Sum(nil))
	m.Write(b)
	return m.Sum(nil)
}

// VerifyChallenge opens what SignChallenge made for this room, while it lasts. Epoch and network are the caller's to judge.
func (r *Keyring) VerifyChallenge(raw, room string, now time.Time) (Challenge, error) {
	parts := strings.Split(raw, ".")
	if len(raw) > maxChallenge || len(parts) != 3 {
		return Challenge{}, invalid(ReasonMalformed, "not a challenge")
	}
	k, err := r.find(UseTicket, parts[0], now)
	if err != nil {
		return Challenge{}, err
	}
	b, err1 := decode64(parts[1])
	mac, err2 := decode64(parts[2])
	if err1 != nil || err2 != nil || len(b) < workBody || b[0] != workVersion || len(b) != workBody+int(b[1]) {
		return Challenge{}, invalid(ReasonMalformed, "not a challenge")
	}
	if !hmac.Equal(mac, k.workMAC(b)) {
		return Challenge{}, invalid(ReasonSignature, "key %s", k.Kid)
	}
	name, rest := string(b[2:2+b[1]]), b[2+b[1]:]
	c := Challenge{Room: name, Epoch: int64(binary.BigEndian.Uint64(rest)), VID: VID(strict64.EncodeToString(rest[8 : 8+vidBytes]))}
	rest = rest[8+vidBytes:]
	if width := int(rest[0]); width > 0 {
		addr := netip.AddrFrom16([16]byte(rest[1:17])).Unmap()
		if width--; addr.Is4() {
			width -= 96
		}
		c.Prefix = netip.PrefixFrom(addr, width)
	}
	c.Bits = int(rest[17])
	c.IssuedAt = time.UnixMilli(int64(binary.BigEndian.Uint64(rest[18:])))
	c.Expires = time.UnixMilli(int64(binary.BigEndian.Uint64(rest[26:])))
	c.Terms = [8]byte(rest[34:])
	switch {
	case name != room:
		return c, invalid(ReasonRoom, "a challenge for %q", clip(name))
	case now.After(c.Expires):
		return c, invalid(ReasonExpired, "a challenge of %s ago", now.Sub(c.IssuedAt).Round(time.Second))
	case c.IssuedAt.After(now.Add(Leeway)):
		return c, invalid(ReasonEarly, "a challenge from the future")
	}
	return c, nil
}

// ErrWork is a solution that solves nothing.
var ErrWork = errors.New("not a solution of this challenge")

// CheckWork checks a solution: WorkParts decimal numbers below 2^32, joined by dots. The i-th makes the first bits of
// SHA-256(SHA-256(challenge) | i | number) zero, i and number in four bytes, big end first.
func CheckWork(challenge string, zeros int, solution string) error {
	if len(solution) > WorkParts*11 {
		return ErrWork
	}
	numbers := strings.Split(solution, ".")
	if len(numbers) != WorkParts || zeros < 1 || zeros > MaxWorkBits {
		return fmt.Errorf("%w: %d numbers of %d", ErrWork, len(numbers), WorkParts)
	}
	for i, text := range numbers {
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil || strconv.FormatUint(n, 10) != text || workZeros(challenge, i, uint32(n)) < zeros {
			return ErrWork
		}
	}
	return nil
}

func workZeros(challenge string, part int, n uint32) int {
	seed := sha256.Sum256([]byte(challenge))
	b := binary.BigEndian.AppendUint32(seed[:], uint32(part))
	sum := sha256.Sum256(binary.BigEndian.AppendUint32(b, n))
	return bits.LeadingZeros32(binary.BigEndian.Uint32(sum[:]))
}

// SolveWork solves a challenge, for programs that wait in line. It takes about WorkParts << zeros hashes.
func SolveWork(challenge string, zeros int) string {
	numbers := make([]string, WorkParts)
	for i := range numbers {
		n := uint32(0)
		for workZeros(challenge, i, n) < zeros {
			n++
		}
		numbers[i] = strconv.FormatUint(uint64(n), 10)
	}
	return strings.Join(numbers, ".")
}
