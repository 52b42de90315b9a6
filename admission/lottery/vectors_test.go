package lottery

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

// The vectors were made by verify.py, which shares no code with this package.
func TestVectors(t *testing.T) {
	b, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct {
		N                                   int64
		Secret, Commit, Entropy, Root, Seed string
		RootOf                              int `json:"root_of"`
		Index, Place                        []int64
	}
	if err := json.Unmarshal(b, &vectors); err != nil {
		t.Fatal(err)
	}
	want := map[int64]bool{1: true, 2: true, 3: true, 5: true, 8: true, 17: true, 1000: true, 1 << 20: true, 1<<20 + 1: true}
	for _, v := range vectors {
		delete(want, v.N)
		t.Run(fmt.Sprint("n=", v.N), func(t *testing.T) {
			secret := unhex(t, v.Secret)
			if got := Commit(secret); hex.EncodeToString(got[:]) != v.Commit {
				t.Errorf("commit %x, want %s", got, v.Commit)
			}
			leaves := make([][32]byte, v.RootOf)
			for i := range leaves {
				leaves[i] = Leaf(fmt.Sprint("visitor-", i))
			}
			root := Root(leaves)
			if hex.EncodeToString(root[:]) != v.Root {
				t.Errorf("root %x, want %s", root, v.Root)
			}
			seed := Seed(secret, v.Entropy, root, v.N)
			if hex.EncodeToString(seed[:]) != v.Seed {
				t.Fatalf("seed %x, want %s", seed, v.Seed)
			}
			p := NewPerm(seed, v.N)
			if len(v.Index) != len(v.Place) {
				t.Fatal("vector is damaged")
			}
			for i, index := range v.Index {
				if got := p.Place(index); got != v.Place[i] {
					t.Errorf("place(%d) = %d, want %d", index, got, v.Place[i])
				}
				if got := p.Index(v.Place[i]); got != index {
					t.Errorf("index(%d) = %d, want %d", v.Place[i], got, index)
				}
			}
		})
	}
	if len(want) > 0 {
		t.Errorf("no vector for n in %v", want)
	}
}

func unhex(t *testing.T, s string) [32]byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != 32 {
		t.Fatalf("%q: not 32 bytes of hex", s)
	}
	return [32]byte(b)
}
