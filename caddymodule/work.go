package caddymodule

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math/bits"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/ropeline/ropeline/admission"
)

// How hard joining is. The zero bits are of each of the 16 parts of a solution: 12 are a fraction of a second in a
// browser, each more doubles it.
const (
	leastWork = 12
	mostWork  = admission.MaxWorkBits

	challengeLife = 10 * time.Minute
	// slowWait is what somebody without JavaScript waits in place of working.
	slowWait = 5 * time.Second
	// Their own budget, of one address and of the whole room: else a robot would simply wait, too.
	slowEvery, slowBurst         = 2 * time.Second, time.Minute
	slowRoomEvery, slowRoomBurst = 20 * time.Millisecond, 10 * time.Second

	// Under `auto`, newcomers work when one address has brought calmJoins within the last minute or so, or when the
	// whole room gets more than calmRate of them in a second, for some seconds.
	calmEvery = time.Second
	calmJoins = 60
	calmRate  = 500
	calmFor   = 5 * time.Second
	// Every challenge given counts workEvery long: whoever asks for many gets harder ones, solved or not.
	workEvery = 2 * time.Second
)

// The values of the option pow.
const (
	powOff    = "off"
	powAuto   = "auto"
	powAlways = "always"
)

func checkPow(v string) error {
	switch v {
	case "", powOff, powAuto, powAlways:
		return nil
	}
	return fmt.Errorf("pow %q: write off, auto (work under pressure, the default) or always", v)
}

// terms is a digest of what newcomers of this configuration are asked for. A challenge carries it: one that was given, and
// perhaps solved, before a reload that asks for more must not let anybody in for the ten minutes it would still be good.
func (c RoomConfig) terms() [8]byte {
	secret := caddy.NewReplacer().ReplaceKnown(c.CaptchaSecret, "")
	sum := sha256.Sum256([]byte(strings.Join([]string{cmp.Or(c.Pow, powAuto), cmp.Or(c.Join, joinAnyone), c.Captcha, c.CaptchaSiteKey, secret, c.CaptchaURL}, "\x00")))
	return [8]byte(sum[:])
}

// needWork asks a newcomer for work before it gets a place.
type needWork struct{ bits int }

func (e needWork) Error() string { return fmt.Sprintf("work of %d bits is asked for", e.bits) }

// backlog is how many of `every` a cell holds that have not worn off yet.
func backlog(room, kind string, p netip.Prefix, now time.Time, every time.Duration) int64 {
	return max(0, prefixes.cell(room, kind, p).Load()-now.UnixNano()) / int64(every)
}

// everybody is the prefix of what is counted for the whole room.
var everybody = netip.PrefixFrom(netip.IPv6Unspecified(), 0)

// work says how hard joining is for this newcomer: 0, not at all. It only reads.
func (h *Handler) work(r *http.Request, now time.Time) int {
	mode := h.room.conf.Load().Pow
	if mode == powOff {
		return 0
	}
	a, limited := visitorAddr(r)
	if !limited {
		if mode == powAlways {
			return leastWork
		}
		return 0 // behind an unnamed balancer everybody has this address
	}
	asked, came := int64(0), int64(0)
	ws, prefix := prefixesOf(a)
	for _, w := range ws {
		asked = max(asked, backlog(h.Room, "work", prefix(w.bits), now, workEvery/time.Duration(w.times)))
		came = max(came, backlog(h.Room, "came", prefix(w.bits), now, calmEvery/time.Duration(w.times))/int64(w.times))
	}
	crowd := backlog(h.Room, "came", everybody, now, time.Second/calmRate)
	if mode != powAlways && asked == 0 && came < calmJoins && crowd < calmRate*int64(calmFor/time.Second) {
		return 0
	}
	return min(mostWork, leastWork+bits.Len64(uint64(asked/4))+min(3, bits.Len64(uint64(crowd/(calmRate*20)))))
}

// came counts a place that was given: the next newcomers of this network, or of all, may have to work for theirs.
func (h *Handler) came(r *http.Request, now time.Time) {
	if a, limited := visitorAddr(r); limited {
		ws, prefix := prefixesOf(a)
		for _, w := range ws {
			spend(prefixes.cell(h.Room, "came", prefix(w.bits)), now, calmEvery/time.Duration(w.times))
		}
		spend(prefixes.cell(h.Room, "came", everybody), now, time.Second/calmRate)
	}
}

// challenge makes one for this newcomer and counts it.
func (h *Handler) challenge(r *http.Request, zeros int, now time.Time) (admission.Challenge, string, error) {
	at := h.room.now()
	c := admission.Challenge{Room: h.Room, Epoch: h.room.line.Snapshot().Epoch, VID: admission.NewVID(), Bits: zeros, IssuedAt: at, Expires: at.Add(challengeLife), Terms: h.terms}
	if a, limited := visitorAddr(r); limited {
		ws, prefix := prefixesOf(a)
		for _, w := range ws {
			spend(prefixes.cell(h.Room, "work", prefix(w.bits)), now, workEvery/time.Duration(w.times))
		}
		// Phones change their address within their network: the middle width is theirs.
		c.Prefix = prefix(ws[1].bits)
	}
	raw, err := h.room.ring.Load().SignChallenge(c)
	return c, raw, err
}

// slowly takes one from the budget of those who wait in place of working; false: it is used up.
func (h *Handler) slowly(r *http.Request, now time.Time) bool {
	room := prefixes.cell(h.Room, "slow", everybody)
	if free(room, now, slowRoomEvery, slowRoomBurst) > 0 {
		return false
	}
	a, limited := visitorAddr(r)
	ws, prefix := prefixesOf(a)
	for _, w := range ws {
		if limited && free(prefixes.cell(h.Room, "slow", prefix(w.bits)), now, slowEvery/time.Duration(w.times), slowBurst) > 0 {
			return false
		}
	}
	spend(room, now, slowRoomEvery)
	for _, w := range ws {
		if limited {
			spend(prefixes.cell(h.Room, "slow", prefix(w.bits)), now, slowEvery/time.Duration(w.times))
		}
	}
	return true
}
