package line

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"

	"github.com/redis/go-redis/v9"
)

// One place an account. A ticket says whose it is, but nobody shows one who has used it or asks from another browser: which
// account has which place is in the logs of the edges, on disk before its ticket leaves.

// ownersMax bounds what an edge keeps, some 100 bytes each. Accounts beyond it are one place as long as the store lives.
const ownersMax = 1 << 20

const ownersPart = 1000 // a record, or a read of the store

// account is the hash of an identity.
type account [16]byte

// accountOf takes any text; "" is nobody.
func accountOf(identity string) string {
	if identity == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(identity))
	return base64.RawURLEncoding.EncodeToString(sum[:len(account{})])
}

func (a account) String() string { return base64.RawURLEncoding.EncodeToString(a[:]) }

func parseAccount(text string) (a account, ok bool) {
	n, err := base64.RawURLEncoding.Decode(a[:], []byte(text[:min(len(text), 22)]))
	return a, err == nil && n == len(a) && len(text) == 22
}

// owner is the newest place of an account: one that has used its place may join again.
type owner struct {
	vid   string
	index uint32 // at most maxIndex
}

type owners map[account]owner

// packOwner appends one in the form of the log.
func packOwner(b []byte, a account, o owner) []byte {
	b = binary.BigEndian.AppendUint32(append(b, a[:]...), o.index)
	return append(append(b, byte(len(o.vid))), o.vid...)
}

// apply adds what a record says; a place that is newer than the known one replaces it.
func (m owners) apply(packed []byte) {
	var a account
	for head := len(a) + 5; len(packed) >= head; {
		copy(a[:], packed)
		o := owner{index: binary.BigEndian.Uint32(packed[len(a):])}
		end := head + int(packed[head-1])
		if end > len(packed) {
			return
		}
		o.vid, packed = string(packed[head:end]), packed[end:]
		if old, known := m[a]; known && old.index < o.index || !known && len(m) < ownersMax {
			m[a] = o
		}
	}
}

// records are all of them in as few records as are handy.
func (m owners) records(epoch int64) (out []record) {
	var packed []byte
	n := 0
	cut := func() {
		if n > 0 {
			out = append(out, record{Kind: kindOwners, Epoch: epoch, Bits: packed})
		}
		packed, n = nil, 0
	}
	for a, o := range m {
		if packed, n = packOwner(packed, a, o), n+1; n == ownersPart {
			cut()
		}
	}
	cut()
	return out
}

// ownerRecords are those among the given (account, vid, index) that this log does not know.
func (r *Room) ownerRecords(epoch int64, given []ownership) []record {
	news := owners{}
	r.log.view(func(c *checkpoint) {
		for _, g := range given {
			a, ok := parseAccount(g.account)
			if !ok || g.index < 0 || g.index > maxIndex {
				continue
			}
			old, known := c.Owners[a]
			if c.Epoch == epoch && (known && int64(old.index) >= g.index || !known && len(c.Owners) >= ownersMax) {
				continue
			}
			news[a] = owner{g.vid, uint32(g.index)}
		}
	})
	return news.records(epoch)
}

type ownership struct {
	account, vid string
	index        int64
}

// owned is the answer to a join of an account.
type owned struct {
	call[joinAsk, Joined]
	j Joined
}

// replyOwned answers when it is on disk whose places they are.
func (r *Room) replyOwned(h header, accounts []owned) {
	given := make([]ownership, len(accounts))
	for i, o := range accounts {
		given[i] = ownership{accountOf(o.ask.identity), o.j.ID, o.j.Index}
	}
	records := r.ownerRecords(h.epoch, given)
	var err error
	if len(records) > 0 {
		var synced <-chan error
		if r.life.within(h.gen, func() { synced = r.log.sync(records...) }) {
			err = <-synced
		} else {
			err = ErrMerging // the report about the loss did not speak of them
		}
	}
	for _, o := range accounts {
		if err != nil {
			fail([]call[joinAsk, Joined]{o.call}, err)
			continue
		}
		o.reply(o.j, nil)
	}
}

// copyOwners reads which accounts the store knows, for a log that must say it without the edge that gave them their places. They
// are read in parts and beside the scripts, which would hold up the room: whoever joins meanwhile is in the log of an edge.
func (r *Room) copyOwners(ctx context.Context, h header) (records []record, err error) {
	if r.store.Embedded() {
		return nil, nil // there is no other edge
	}
	c := r.store.client
	for cursor := uint64(0); ; {
		var pairs []string
		if pairs, cursor, err = c.HScan(ctx, r.key("ident"), cursor, "", ownersPart).Result(); err != nil {
			return nil, wrapStore(err)
		}
		p := c.Pipeline()
		at := make([]*redis.FloatCmd, len(pairs)/2)
		for i := range at {
			at[i] = p.ZScore(ctx, r.key("line"), pairs[2*i+1])
		}
		if _, err := p.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
			return nil, wrapStore(err)
		}
		var given []ownership
		for i, cmd := range at {
			if cmd.Err() == nil {
				given = append(given, ownership{pairs[2*i], pairs[2*i+1], int64(cmd.Val())})
			}
		}
		records = append(records, r.ownerRecords(h.epoch, given)...)
		if cursor == 0 {
			break
		}
	}
	if gen, err := c.HGet(ctx, r.key("room"), "gen").Result(); err != nil || gen != h.gen {
		return nil, ErrMerging // lost meanwhile: what was read may be less than there was
	}
	return records, nil
}
