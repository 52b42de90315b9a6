package readpath

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/ropeline/ropeline/seatmap"
)

func bigShelf(t *testing.T) (*truth, *Shelf) {
	tr := newTruth("a")
	h := tr.halls["a"]
	h.facts.Seats = make([]Seat, 4000)
	for i := range h.facts.Seats {
		h.facts.Seats[i].State = seatmap.State(i*i%7%3) &^ 1
	}
	return tr, newShelf(tr)
}

func ask(t *testing.T, s *Shelf, method string, header http.Header, serve func(w http.ResponseWriter, r *http.Request) error) *http.Response {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "/", nil)
	r.Header = header
	w := httptest.NewRecorder()
	if err := serve(w, r); err != nil {
		t.Fatal(err)
	}
	return w.Result()
}

func TestAnswersInEveryCodingAreTheSameMap(t *testing.T) {
	_, s := bigShelf(t)
	snapshot := func(w http.ResponseWriter, r *http.Request) error { return s.ServeSnapshot(w, r, "a", false) }
	plain := ask(t, s, "GET", nil, snapshot)
	want, _ := io.ReadAll(plain.Body)
	tags := map[string]bool{plain.Header.Get("ETag"): true}
	for accept, open := range map[string]func(io.Reader) (io.Reader, error){
		"gzip":                    func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		"gzip;q=0.5, br;q=0.6":    func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil },
		"gzip, deflate, br, zstd": func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r) },
	} {
		got := ask(t, s, "GET", http.Header{"Accept-Encoding": {accept}}, snapshot)
		body, _ := io.ReadAll(got.Body)
		r, err := open(bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		unpacked, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(unpacked, want) {
			t.Errorf("%s: other bytes, %v", accept, err)
		}
		if len(body) >= len(want) || got.Header.Get("Content-Encoding") == "" || got.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: %d bytes, %v", accept, len(body), got.Header)
		}
		tags[got.Header.Get("ETag")] = true
	}
	if len(tags) != 4 {
		t.Errorf("tags %v: four forms of bytes, want four tags", tags)
	}
	for _, accept := range []string{"", "identity", "gzip;q=0", "x-own", "gzip;q=junk"} {
		got := ask(t, s, "GET", http.Header{"Accept-Encoding": {accept}}, snapshot)
		if body, _ := io.ReadAll(got.Body); !bytes.Equal(body, want) {
			t.Errorf("Accept-Encoding %q: not the plain bytes", accept)
		}
	}
	for tag := range tags {
		got := ask(t, s, "GET", http.Header{"If-None-Match": {`"other", W/` + tag}, "Accept-Encoding": {"br"}}, snapshot)
		if body, _ := io.ReadAll(got.Body); got.StatusCode != http.StatusNotModified || len(body) != 0 || got.Header.Get("Content-Encoding") != "" {
			t.Errorf("who has %s: %d, %d bytes", tag, got.StatusCode, len(body))
		}
	}
	if got := ask(t, s, "HEAD", nil, snapshot); got.ContentLength != int64(len(want)) {
		t.Errorf("HEAD says %d bytes, want %d", got.ContentLength, len(want))
	}
	if got := ask(t, s, "GET", http.Header{"If-None-Match": {strings.TrimSuffix(plain.Header.Get("ETag"), `"`) + `0"`}}, snapshot); got.StatusCode != 200 {
		t.Errorf("a longer tag: %d", got.StatusCode)
	}
}

// Who has an earlier map is never told that it is the newest, in any form: a frame of the same length has another tag.
func TestAnOlderMapIsNotTheNewest(t *testing.T) {
	tr, s := bigShelf(t)
	latest(t, s, "a")
	had := map[bool]map[string]bool{true: {}, false: {}}
	for i := range 5 {
		for _, asJSON := range []bool{true, false} {
			snapshot := func(w http.ResponseWriter, r *http.Request) error { return s.ServeSnapshot(w, r, "a", asJSON) }
			first := ask(t, s, "GET", nil, snapshot)
			tag := first.Header.Get("ETag")
			if had[asJSON][tag] {
				t.Fatalf("map %d has the tag of an earlier one: %s", i, tag)
			}
			had[asJSON][tag] = true
			for old := range had[asJSON] {
				if got := ask(t, s, "GET", http.Header{"If-None-Match": {old}}, snapshot); (got.StatusCode == http.StatusNotModified) != (old == tag) {
					t.Errorf("who has %s of %s: %d", old, tag, got.StatusCode)
				}
			}
		}
		tr.commit("a", held(10+i, tr.clock().Add(time.Hour)))
		tr.pass(Life)
		step(t, s)
	}
}

// The document of an edition is made for the first who asks, once for all who ask at the same time, and for nobody else.
func TestTheDocumentIsMadeWhenItIsAskedFor(t *testing.T) {
	_, s := bigShelf(t)
	e := latest(t, s, "a")
	ask(t, s, "GET", nil, func(w http.ResponseWriter, r *http.Request) error { return s.ServeSnapshot(w, r, "a", false) })
	if e.json.body != nil {
		t.Error("made for nobody")
	}
	bodies := make([]*Body, 20)
	var wg sync.WaitGroup
	for i := range bodies {
		wg.Go(func() { bodies[i], _ = e.JSON() })
	}
	wg.Wait()
	for _, b := range bodies {
		if b == nil || b != bodies[0] {
			t.Fatal("not one document for all")
		}
	}
	doc, err := e.Map.JSON()
	if got, _ := io.ReadAll(ask(t, s, "GET", nil, func(w http.ResponseWriter, r *http.Request) error { return s.ServeSnapshot(w, r, "a", true) }).Body); err != nil || !bytes.Equal(got, doc) {
		t.Errorf("not the edition's document: %v", err)
	}
}

func TestDeltaOrSnapshotByHTTP(t *testing.T) {
	tr, s := bigShelf(t)
	e := latest(t, s, "a")
	from := e.Map.Version
	reader := clone(e.Map)
	tr.commit("a", held(77, tr.clock().Add(time.Hour)))
	tr.pass(Life)
	step(t, s)
	since := func(v seatmap.Version) *http.Response {
		return ask(t, s, "GET", nil, func(w http.ResponseWriter, r *http.Request) error { return s.ServeDelta(w, r, "a", v, false) })
	}
	got := since(from)
	frame, _ := io.ReadAll(got.Body)
	d, err := seatmap.DecodeDelta(frame)
	if err != nil {
		t.Fatal(err)
	}
	if err := reader.Apply(d); err != nil || len(d.Changes) != 1 {
		t.Fatalf("%d changes, %v", len(d.Changes), err)
	}
	if cc := got.Header.Get("Cache-Control"); cc != "public, max-age=1, s-maxage=1, stale-while-revalidate=2, stale-if-error=60" {
		t.Error(cc)
	}
	frame, _ = io.ReadAll(since(seatmap.Version{V: 9999}).Body)
	if m, err := seatmap.DecodeMap(frame); err != nil || m.Version.V != 1 {
		t.Errorf("from a version that never was: %v, want a whole map", err)
	}
	frame, _ = io.ReadAll(since(reader.Version).Body)
	if d, err := seatmap.DecodeDelta(frame); err != nil || len(d.Changes) != 0 {
		t.Errorf("from the newest: %v, want an empty delta", err)
	}
}

func FuzzNegotiate(f *testing.F) {
	f.Add("gzip;q=0.5, br", `W/"12-ab"`)
	f.Fuzz(func(t *testing.T, accept, match string) {
		if i := negotiate([]string{accept}); i >= len(codings) {
			t.Fatal(i)
		}
		matches([]string{match}, "12-ab")
	})
}
