package line

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func sumOf(t testing.TB, dir string) *checkpoint {
	t.Helper()
	l, err := openLog(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	return l.sum
}

// What was acknowledged is read back, whatever the records, and a compacted log adds up to the same.
func TestLogReadsBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(t.TempDir(), "log")
		if err != nil {
			rt.Fatal(err)
		}
		l, err := openLogCompacting(dir, rapid.Int64Range(50, 2000).Draw(rt, "compact at"))
		if err != nil {
			rt.Fatal(err)
		}
		index := rapid.Int64Range(0, 200)
		for range rapid.IntRange(1, 40).Draw(rt, "records") {
			r := record{Kind: rapid.SampledFrom([]string{kindEdge, kindRoom, kindFile, kindCeil, kindTick, kindClean, kindSpent, kindLease, kindEnded, kindGen, kindEdges, kindFreed, kindWaits}).Draw(rt, "kind")}
			r.N, r.End, r.Text = index.Draw(rt, "n"), index.Draw(rt, "end"), "edge"
			if r.Kind == kindTick {
				r.RT, r.X, r.Seq = index.Draw(rt, "rt"), index.Draw(rt, "x"), index.Draw(rt, "seq")
			}
			if r.Kind == kindWaits {
				r.Vid = vid(r.N % 7)
			}
			if r.Kind != kindEdge && r.Kind != kindGen {
				r.Epoch, r.Term = 1+index.Draw(rt, "epoch")%3, index.Draw(rt, "term")%4
			}
			if r.Kind == kindFreed {
				r.Bits = []byte{byte(r.N)}
			}
			if r.Kind == kindLease || r.Kind == kindEnded {
				r.Vid = vid(r.N % 7)
			}
			if r.Kind == kindRoom || r.Kind == kindFile {
				r.Fields = map[string]string{"cap": itoa(r.N)}
			}
			if err := <-l.sync(r); err != nil {
				rt.Fatal(err)
			}
		}
		if err := l.close(); err != nil {
			rt.Fatal(err)
		}
		l.sum.forget()
		again := sumOf(t, dir)
		again.forget()
		if l.sum.Clean { // a compacted log does not say it, and must not: the room goes on
			again.Clean = true
		}
		if !reflect.DeepEqual(l.sum, again) {
			rt.Fatalf("wrote %+v\nread  %+v", l.sum, again)
		}
	})
}

// A torn last line is what a power loss leaves; a broken line inside is damage and is named.
func TestLogAfterDamage(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, logName)
	l, err := openLog(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := <-l.sync(record{Kind: kindSpent, N: 5}, record{Kind: kindCeil, N: 7}); err != nil {
		t.Fatal(err)
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(whole) {
		if err := os.WriteFile(name, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		sum := sumOf(t, dir)
		if lines := strings.Count(string(whole[:cut]), "\n"); sum.spent(5) != (lines >= 1) || sum.Ceil != 0 {
			t.Fatalf("cut at %d: %+v", cut, sum)
		}
		l, err := openLog(dir) // appending after the cut must not join two lines
		if err != nil {
			t.Fatal(err)
		}
		<-l.sync(record{Kind: kindSpent, N: 9})
		if err := l.close(); err != nil {
			t.Fatal(err)
		}
		if !sumOf(t, dir).spent(9) {
			t.Fatalf("cut at %d: the next record is lost", cut)
		}
	}
	if err := os.WriteFile(name, []byte("{\"k\":\"ceil\",\"n\":3}\nnonsense\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openLog(dir); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Fatalf("damage is reported as %v", err)
	}
}

// After a disk error nothing is acknowledged any more, and nobody gets a pass.
func TestLogStopsAfterADiskError(t *testing.T) {
	l, err := openLog(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l.file.Close() // the disk is gone
	if err := <-l.sync(record{Kind: kindSpent, N: 1}); !errors.Is(err, ErrNotLogged) {
		t.Fatalf("the first write says %v", err)
	}
	if err := <-l.sync(record{Kind: kindSpent, N: 2}); !errors.Is(err, ErrNotLogged) {
		t.Fatalf("the next write says %v", err)
	}
	_ = l.close()
}

// spent says whether the place of an index is: each term frees, then spends.
func (c *checkpoint) spent(index int64) bool {
	is := false
	for term := range c.Term + 1 {
		is = is && !c.Freed[term].get(index) || c.Spent[term].get(index)
	}
	return is
}

// A reply from before a change of the settings, noted after one that has it, does not take it back in the log.
func TestAnOlderReplyIsNotNotedOverANewerOne(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		b := newBench(t, s, Config{Dir: t.TempDir(), Edge: "e", Settings: Settings{Rate: Rate{10, time.Second}, Passthrough: true}})
		older, newer := b.r.view.Load().header, b.r.view.Load().header
		older.sv, older.net, newer.sv = newer.sv, false, newer.sv+1
		for _, h := range []header{newer, older} {
			if err := <-b.r.note(h); err != nil {
				t.Fatal(err)
			}
		}
		b.r.log.view(func(c *checkpoint) {
			if c.Room["net"] != "1" || c.Room["sv"] != itoa(newer.sv) {
				t.Errorf("the log has net %s of sv %s, want that of sv %d", c.Room["net"], c.Room["sv"], newer.sv)
			}
		})
	})
}
