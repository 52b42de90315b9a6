package page

import (
	"bytes"
	"fmt"
	"testing"
	"time"
)

// Whatever state, language and visitor: the page with its holes filled is the page the template writes.
func TestOutlinesAreThePage(t *testing.T) {
	plain, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	plain.ours = false // runs the template each time
	filling := Default()
	now := time.Unix(1_800_000_000, 0)
	for _, lang := range filling.Languages() {
		for _, state := range States {
			for i := range int64(8) {
				d := Data{Room: "main", Title: "Night & day", State: state, Language: lang, Base: "/.well-known/ropeline/main/",
					Self: []string{"/", "/a/b.html", "/a?b=c&d='", "/%3Cscript%3E"}[i%4], Epoch: 1, Index: i * 977, Place: i*977 - 1, X: i, Ahead: i * 976, Low: i*60 - 1, High: i*200 - 1,
					Joined: i * 1000, RatePerSecond: float64(i), Slow: i%3 == 0, OpensAt: now.Add(time.Hour), BeginsAt: now.Add(time.Minute), Now: now.Add(time.Duration(i) * time.Second),
					EntropySource: "none", Post: i == 5}
				if i > 3 {
					d.Message, d.Commit = "Doors <at> eight", "abcd"
				}
				if i == 6 {
					d.OpensAt = time.Time{}
				}
				for range 2 { // made, and then used
					want, err := plain.Render(d)
					if err != nil {
						t.Fatal(err)
					}
					got, err := filling.Render(d)
					if err != nil || !bytes.Equal(got, want) {
						t.Fatalf("%s, %s, visitor %d: %v: the pages differ at %s", lang, state, i, err, difference(got, want))
					}
				}
			}
		}
	}
	if n := len(filling.outlines.all); n == 0 {
		t.Error("no outline was made")
	}
	for _, o := range filling.outlines.all {
		if o == nil {
			t.Error("a page of ours cannot be filled")
		}
	}
}

func difference(a, b []byte) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("%.80q and %.80q", a[i:], b[i:])
		}
	}
	return fmt.Sprintf("their ends, %d and %d bytes", len(a), len(b))
}

// A value that would have to be escaped goes through the template.
func TestOutlinesTakeNoMarkup(t *testing.T) {
	s := Default()
	d := Data{Room: "main", Title: "x", State: "waiting", Base: "/.well-known/ropeline/main/", Self: `/"><script>`, Ahead: 3, Low: 1, High: 2, Place: 3}
	b, err := s.Render(d)
	if err != nil || bytes.Contains(b, []byte(`/"><script>`)) {
		t.Errorf("%v: %s", err, b)
	}
}

func BenchmarkRender(b *testing.B) {
	s := Default()
	d := Data{Room: "main", Title: "Night", State: "waiting", Base: "/.well-known/ropeline/main/", Self: "/", Language: "en", RatePerSecond: 20}
	var out bytes.Buffer
	for i := range b.N {
		d.Index, d.Place, d.Ahead, d.Low, d.High = int64(i), int64(i), int64(i), int64(i), int64(2*i)
		out.Reset()
		if err := s.RenderTo(&out, d); err != nil {
			b.Fatal(err)
		}
	}
}
