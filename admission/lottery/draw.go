package lottery

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"strconv"
	"time"
)

const domain = "ropeline-draw-1"

// Secret derives a room's secret from the draw key, so that every edge knows it and nothing stores it.
func Secret(drawKey []byte, room string, epoch int64, opensAt time.Time) [32]byte {
	m := hmac.New(sha256.New, drawKey)
	// The separator cannot occur in a room's name, so two rooms never share a message.
	m.Write([]byte("draw\x00" + room + "\x00" + strconv.FormatInt(epoch, 10) + "\x00" + strconv.FormatInt(opensAt.UnixMilli(), 10)))
	return [32]byte(m.Sum(nil))
}

// Commit is published before anyone may join.
func Commit(secret [32]byte) [32]byte { return sha256.Sum256(secret[:]) }

// Leaf is how a participant appears in the published list: the id itself stays the visitor's own.
func Leaf(vid string) [32]byte { return sha256.Sum256([]byte(vid)) }

// Root binds the participants, in arrival order. A zero leaf stands for an index whose visitor is unknown.
func Root(leaves [][32]byte) [32]byte {
	h := sha256.New()
	for i := range leaves {
		h.Write(leaves[i][:])
	}
	return [32]byte(h.Sum(nil))
}

// Seed keys the permutation. It depends on everything that was fixed before, and on entropy nobody could know then.
func Seed(secret [32]byte, entropy string, root [32]byte, n int64) [32]byte {
	h := sha256.New()
	h.Write([]byte(domain))
	h.Write(secret[:])
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(entropy))))
	h.Write([]byte(entropy))
	h.Write(root[:])
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(n)))
	return [32]byte(h.Sum(nil))
}
