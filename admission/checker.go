package admission

import (
	"crypto/sha256"
	"sync"
	"time"
)

const (
	cacheShards  = 64
	cacheEntries = 65_536 // about 12 MB when full
)

// Checker verifies passes of one room and remembers which tokens had a good signature, since checking Ed25519 costs
// more than everything else on the path. Only the signature is remembered: times are judged on every use, and the
// caller judges epoch and term on every use.
type Checker struct {
	room   string
	keys   func(now time.Time) findKey
	ring   *Keyring // nil where nothing is signed
	shards [cacheShards]shard
}

type shard struct {
	mu   sync.Mutex
	seen map[[32]byte]cached
}

type cached struct {
	pass   Pass
	kid    string
	ticket [16]byte // of the SHA-256 of the ticket that it came with, once that was found to be its visitor's
}

// NewChecker makes a checker that finds its keys in a ring.
func NewChecker(ring *Keyring, room string) *Checker {
	c := newChecker(room, func(now time.Time) findKey {
		return func(kid string) (*Key, error) { return ring.find(UsePass, kid, now) }
	})
	c.ring = ring
	return c
}

// Sign signs a pass of this room as the ring does, and remembers it: whoever has signed a pass need not check the
// signature when it comes back, and it nearly always comes back to the edge that gave it.
func (c *Checker) Sign(p Pass) (string, error) {
	raw, claims, kid, err := c.ring.signPass(p)
	if err != nil {
		return "", err
	}
	if own, err := claims.pass(c.room); err == nil && p.Room == c.room {
		sum := sha256.Sum256([]byte(raw))
		c.shards[sum[0]%cacheShards].put(sum, cached{pass: own, kid: kid})
	}
	return raw, nil
}

func newChecker(room string, keys func(time.Time) findKey) *Checker {
	c := &Checker{room: room, keys: keys}
	for i := range c.shards {
		c.shards[i].seen = make(map[[32]byte]cached)
	}
	return c
}

// Verify returns the pass if it is good now. The error is an [*Invalid].
func (c *Checker) Verify(raw string, now time.Time) (Pass, error) {
	is, err := c.verify(raw, now)
	return is.pass, err
}

// VerifyBeside is Verify, and says whether the pass and one of these tickets were found to belong to one visitor before: both
// with one look, since this runs on every request of everybody inside.
func (c *Checker) VerifyBeside(raw string, tickets []string, now time.Time) (p Pass, together bool, err error) {
	is, err := c.verify(raw, now)
	if err != nil || is.ticket == ([16]byte{}) {
		return is.pass, false, err
	}
	for _, t := range tickets {
		if sum := sha256.Sum256([]byte(t)); is.ticket == [16]byte(sum[:16]) {
			return is.pass, true, nil
		}
	}
	return is.pass, false, nil
}

func (c *Checker) verify(raw string, now time.Time) (cached, error) {
	if len(raw) > maxToken {
		return cached{}, invalid(ReasonMalformed, "longer than %d bytes", maxToken)
	}
	find := c.keys(now)
	sum := sha256.Sum256([]byte(raw))
	s := &c.shards[sum[0]%cacheShards]
	s.mu.Lock()
	hit, ok := s.seen[sum]
	s.mu.Unlock()
	if ok {
		// The key is looked up again: a recalled key ends its passes whether they are remembered or not.
		if _, err := find(hit.kid); err != nil {
			return cached{}, err
		}
		return hit, hit.pass.current(now)
	}
	var is cached
	p, err := openPass(raw, c.room, func(k string) (*Key, error) { is.kid = k; return find(k) })
	if err != nil {
		return cached{}, err
	}
	is.pass = p
	if err := p.current(now); err != nil {
		return is, err
	}
	s.put(sum, is)
	return is, nil
}

// Knows says whether a token's signature has been found good before, so that judging it again costs next to nothing.
func (c *Checker) Knows(raw string) bool {
	sum := sha256.Sum256([]byte(raw))
	s := &c.shards[sum[0]%cacheShards]
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.seen[sum]
	return ok
}

// Bind remembers that a pass and a ticket belong to one visitor. It is for the caller to have checked the ticket.
func (c *Checker) Bind(pass, ticket string) {
	sum, is := sha256.Sum256([]byte(pass)), sha256.Sum256([]byte(ticket))
	s := &c.shards[sum[0]%cacheShards]
	s.mu.Lock()
	defer s.mu.Unlock()
	if hit, ok := s.seen[sum]; ok {
		hit.ticket = [16]byte(is[:16])
		s.seen[sum] = hit
	}
}

// put makes room by dropping arbitrary entries (map order): an LRU would need a write per hit, and what is dropped
// costs one signature check.
func (s *shard) put(sum [32]byte, c cached) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k := range s.seen {
		if len(s.seen) < cacheEntries/cacheShards {
			break
		}
		delete(s.seen, k)
	}
	s.seen[sum] = c
}
