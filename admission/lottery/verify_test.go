package lottery

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"time"
)

func record(n int, entropy string) (Record, [][32]byte) {
	leaves := make([][32]byte, n)
	for i := range leaves {
		leaves[i] = Leaf(fmt.Sprint("v", i))
	}
	secret := Secret([]byte("key"), "main", 1, time.UnixMilli(5))
	commit, root := Commit(secret), Root(leaves)
	seed := Seed(secret, entropy, root, int64(n))
	h := func(b [32]byte) string { return hex.EncodeToString(b[:]) }
	source := "none"
	if entropy != "" {
		source = "a sentence"
	}
	return Record{Room: "main", Epoch: 1, Commit: h(commit), EntropySource: source, N: int64(n), Root: h(root), Entropy: entropy, Secret: h(secret), Seed: h(seed)}, leaves
}

// AQ8: a true record holds; whatever is changed in it or in the list is found, and named.
func TestVerify(t *testing.T) {
	for _, n := range []int{0, 1, 2, 17} {
		rec, leaves := record(n, "")
		v, err := Verify(rec, leaves)
		if err != nil || v.Public || v.Unknown != 0 {
			t.Fatalf("n %d: %+v %v", n, v, err)
		}
		if err := v.CheckAll(); err != nil {
			t.Error(err)
		}
	}
	for want, f := range map[string]func(*Record, [][32]byte) [][32]byte{
		"not been revealed": func(r *Record, l [][32]byte) [][32]byte { r.Secret = ""; return l },
		"committed to":      func(r *Record, l [][32]byte) [][32]byte { r.Commit = strings.Repeat("ab", 32); return l },
		"16 participants":   func(_ *Record, l [][32]byte) [][32]byte { return l[1:] },
		"not the one that was drawn": func(_ *Record, l [][32]byte) [][32]byte {
			l[3], l[4] = l[4], l[3]
			return l
		},
		"seed does not follow": func(r *Record, l [][32]byte) [][32]byte { r.Entropy = "other"; return l },
		"entropy_source":       func(r *Record, l [][32]byte) [][32]byte { r.EntropySource = "none"; return l },
		"64 hex digits":        func(r *Record, l [][32]byte) [][32]byte { r.Root = "xyz"; return l },
	} {
		rec, leaves := record(17, "7 11")
		leaves = f(&rec, leaves)
		if _, err := Verify(rec, leaves); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	rec, leaves := record(5, "x")
	leaves[2] = [32]byte{}
	root := Root(leaves)
	rec.Root = hex.EncodeToString(root[:])
	secret, _ := hex.DecodeString(rec.Secret)
	seed := Seed([32]byte(secret), "x", root, 5)
	rec.Seed = hex.EncodeToString(seed[:])
	if v, err := Verify(rec, leaves); err != nil || v.Unknown != 1 || !v.Public {
		t.Errorf("an unknown participant: %+v %v", v, err)
	}
}

func TestReadList(t *testing.T) {
	_, leaves := record(3, "")
	var b bytes.Buffer
	for _, l := range leaves {
		fmt.Fprintf(&b, "%x\n", l)
	}
	if got, err := ReadList(&b); err != nil || len(got) != 3 || got[2] != leaves[2] {
		t.Errorf("%v %v", got, err)
	}
	for _, bad := range []string{"xx\n", strings.Repeat("a", 63), strings.Repeat("a", 65), strings.Repeat("g", 64)} {
		if _, err := ReadList(strings.NewReader(bad)); err == nil {
			t.Errorf("%q accepted", bad)
		}
	}
}

// edge.verify_1e6_s: all places of a draw of 2^20+1.
func BenchmarkVerifyMillion(b *testing.B) {
	rec, leaves := record(1<<20+1, "")
	for range b.N {
		v, err := Verify(rec, leaves)
		if err == nil {
			err = v.CheckAll()
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
