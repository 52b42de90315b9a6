package lottery

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"
)

func seedOf(parts ...any) [32]byte { return sha256.Sum256([]byte(fmt.Sprint(parts...))) }

// AQ8, W66: every n in 0..300 and around powers of two is a bijection, whatever is outside keeps its place.
func TestBijection(t *testing.T) {
	ns := []int64{}
	for n := int64(0); n <= 300; n++ {
		ns = append(ns, n)
	}
	for _, e := range []uint{9, 10, 12, 14} {
		ns = append(ns, 1<<e-1, 1<<e, 1<<e+1)
	}
	for _, n := range ns {
		p := NewPerm(seedOf("bijection", n), n)
		seen := make([]bool, n)
		for i := int64(0); i < n; i++ {
			place := p.Place(i)
			if place < 0 || place >= n || seen[place] {
				t.Fatalf("n=%d: place(%d) = %d is outside or given twice", n, i, place)
			}
			seen[place] = true
			if back := p.Index(place); back != i {
				t.Fatalf("n=%d: index(place(%d)) = %d", n, i, back)
			}
		}
		for _, i := range []int64{-1, n, n + 1, n + 1<<40} {
			if i >= n || i < 0 {
				if p.Place(i) != i || p.Index(i) != i {
					t.Fatalf("n=%d: %d, outside the draw, was moved", n, i)
				}
			}
		}
	}
	if p := NewPerm([32]byte{}, -7); p.N() != 0 || p.Place(3) != 3 {
		t.Fatal("a negative n must draw nobody")
	}
}

// AQ8: for n in 2..64 over 20,000 seeds, the pair (index of the first place, index of the second) is uniform over
// all n(n-1) pairs; so is that of the first and the third where n is at most 16. The statistic's standard score stays below 5 for every n; a sound permutation exceeds that once in
// millions of runs, and the seeds are fixed, so this test never flickers. Four rounds fail it by far.
func TestFirstTwoPlacesAreUniform(t *testing.T) {
	const seeds = 20_000
	var wg sync.WaitGroup
	for part := int64(0); part < 4; part++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for n := 2 + part; n <= 64; n += 4 {
				for second := int64(1); second <= min(2, n-1) && (second == 1 || n <= 16); second++ {
					if z := pairScore(n, second, seeds); z > 5 {
						t.Errorf("n=%d, places 0 and %d: chi-square is %.1f standard deviations above its mean", n, second, z)
					}
				}
			}
		}()
	}
	wg.Wait()
}

func pairScore(n, second int64, seeds int) float64 {
	count := make([]int, n*n)
	var seed [32]byte
	binary.BigEndian.PutUint64(seed[:], uint64(n))
	for s := range seeds {
		binary.BigEndian.PutUint64(seed[8:], uint64(s))
		p := NewPerm(seed, n)
		count[p.Index(0)*n+p.Index(second)]++
	}
	pairs := float64(n * (n - 1))
	expect := float64(seeds) / pairs
	var chi float64
	for i := int64(0); i < n; i++ {
		for j := int64(0); j < n; j++ {
			if i != j {
				d := float64(count[i*n+j]) - expect
				chi += d * d / expect
			}
		}
	}
	df := pairs - 1
	return (chi - df) / math.Sqrt(2*df)
}

func TestSecretDependsOnEveryPart(t *testing.T) {
	at := time.UnixMilli(1_800_000_000_000)
	seen := map[[32]byte]string{}
	for name, s := range map[string][32]byte{
		"base":  Secret([]byte("key"), "room", 1, at),
		"key":   Secret([]byte("kez"), "room", 1, at),
		"room":  Secret([]byte("key"), "rooms", 1, at),
		"epoch": Secret([]byte("key"), "room", 2, at),
		"time":  Secret([]byte("key"), "room", 1, at.Add(time.Millisecond)),
	} {
		if other, ok := seen[s]; ok {
			t.Errorf("%s and %s give one secret", name, other)
		}
		seen[s] = name
	}
}

func BenchmarkPlace(b *testing.B) {
	p := NewPerm(seedOf("bench"), 1_000_000)
	for i := range b.N {
		p.Place(int64(i % 1_000_000))
	}
}
