package lottery

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
)

// Record is the published record of a draw, as GET draw gives it. Hashes are hex.
type Record struct {
	Room          string `json:"room"`
	Epoch         int64  `json:"epoch"`
	Commit        string `json:"commit"`
	EntropySource string `json:"entropy_source"`
	OpensAt       int64  `json:"opens_at"`
	N             int64  `json:"n"`
	Root          string `json:"root"`
	Entropy       string `json:"entropy"`
	Secret        string `json:"secret"`
	Seed          string `json:"seed"`
}

// Verified is a draw that has been checked.
type Verified struct {
	*Perm
	Leaves  [][32]byte
	Unknown int64 // participants whose id the published list does not have
	Public  bool  // a public value was mixed in: nobody could choose the result
}

// maxDraw bounds what a record can make a checker allocate: 2^27 participants are 4 GB of leaves.
const maxDraw = 1 << 27

// ReadList reads a list of participants: 64 hex digits a line.
func ReadList(r io.Reader) ([][32]byte, error) {
	var leaves [][32]byte
	s := bufio.NewScanner(r)
	for s.Scan() {
		var leaf [32]byte
		if n, err := hex.Decode(leaf[:], s.Bytes()[:min(64, len(s.Bytes()))]); err != nil || n != 32 || len(s.Bytes()) != 64 {
			return nil, fmt.Errorf("list of participants, line %d: not 64 hex digits", len(leaves)+1)
		}
		if leaves = append(leaves, leaf); len(leaves) > maxDraw {
			return nil, fmt.Errorf("list of participants: more than %d lines", maxDraw)
		}
	}
	return leaves, s.Err()
}

// Verify recomputes everything that a record says from the list of participants. An error names the first thing that
// does not hold.
func Verify(rec Record, leaves [][32]byte) (*Verified, error) {
	if rec.Secret == "" {
		return nil, fmt.Errorf("the draw of room %q has not been revealed yet", rec.Room)
	}
	var secret, seed, root, commit [32]byte
	for name, f := range map[string]struct {
		text string
		to   *[32]byte
	}{"secret": {rec.Secret, &secret}, "seed": {rec.Seed, &seed}, "root": {rec.Root, &root}, "commit": {rec.Commit, &commit}} {
		b, err := hex.DecodeString(f.text)
		if err != nil || len(b) != 32 {
			return nil, fmt.Errorf("record: %s is not 64 hex digits", name)
		}
		copy(f.to[:], b)
	}
	if got := Commit(secret); got != commit {
		return nil, fmt.Errorf("the secret is not the one that was committed to: its SHA-256 is %x, published was %s", got, rec.Commit)
	}
	if int64(len(leaves)) != rec.N {
		return nil, fmt.Errorf("the list has %d participants, the record %d", len(leaves), rec.N)
	}
	if got := Root(leaves); got != root {
		return nil, fmt.Errorf("the list of participants is not the one that was drawn: its root is %x, published was %s", got, rec.Root)
	}
	public := rec.EntropySource != "" && rec.EntropySource != "none"
	if public != (rec.Entropy != "") {
		return nil, fmt.Errorf("entropy_source is %q, yet the entropy is %q", rec.EntropySource, rec.Entropy)
	}
	if got := Seed(secret, rec.Entropy, root, rec.N); got != seed {
		return nil, fmt.Errorf("the seed does not follow from secret, entropy, root and n: it would be %x, published was %s", got, rec.Seed)
	}
	v := &Verified{Perm: NewPerm(seed, rec.N), Leaves: leaves, Public: public}
	for i := range leaves {
		if leaves[i] == [32]byte{} {
			v.Unknown++
		}
	}
	return v, nil
}

// CheckAll computes every place and makes sure that each is given once.
func (v *Verified) CheckAll() error {
	seen := make([]atomic.Bool, v.N())
	workers := runtime.GOMAXPROCS(0)
	var bad atomic.Int64
	bad.Store(-1)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := int64(w); i < v.N() && bad.Load() < 0; i += int64(workers) {
				if p := v.Place(i); p < 0 || p >= v.N() || seen[p].Swap(true) {
					bad.Store(i)
				}
			}
		})
	}
	wg.Wait()
	if i := bad.Load(); i >= 0 {
		return fmt.Errorf("the place of index %d is outside the draw or given twice", i)
	}
	return nil
}
