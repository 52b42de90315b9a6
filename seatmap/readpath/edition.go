package readpath

import (
	"fmt"
	"sync"
	"time"

	"github.com/ropeline/ropeline/seatmap"
)

// maxOld is how many earlier editions a board keeps to make deltas from: with a
// life of a second, somebody who asks every half a minute still gets one.
const maxOld = 40

// Edition is one published map. It never changes, and many people get it.
type Edition struct {
	Map    *seatmap.Map
	Binary *Body // the snapshot's frame

	// Pages read frames. The document is for programs, so most editions are never
	// asked for it; those who ask at the same time share one.
	json struct {
		once sync.Once
		body *Body
		err  error
	}
	built  time.Time
	cache  []string // value of Cache-Control
	mu     sync.Mutex
	deltas map[deltaKey]*Body
}

type deltaKey struct {
	from seatmap.Version
	json bool
}

func newEdition(m *seatmap.Map, built time.Time, life time.Duration) (*Edition, error) {
	frame, err := m.AppendBinary(make([]byte, 0, len(m.States)+64+8*len(m.Counters)))
	if err != nil {
		return nil, fmt.Errorf("snapshot of a board: %w", err)
	}
	return &Edition{Map: m, built: built, cache: []string{cacheControl(life)}, deltas: map[deltaKey]*Body{},
		Binary: newBody(binaryType, frame)}, nil
}

// JSON is the snapshot's document.
func (e *Edition) JSON() (*Body, error) {
	e.json.once.Do(func() {
		doc, err := e.Map.JSON()
		if err != nil {
			e.json.err = fmt.Errorf("snapshot of a board: %w", err)
			return
		}
		e.json.body = newBody(jsonType, doc)
	})
	return e.json.body, e.json.err
}

// delta makes the way from an older edition once for everybody. It carries every
// counter: counters run free between versions, so the reader's may be another
// process's reading of the same one.
func (e *Edition) delta(from *Edition, asJSON bool) (*Body, error) {
	key := deltaKey{from.Map.Version, asJSON}
	e.mu.Lock()
	defer e.mu.Unlock()
	if b := e.deltas[key]; b != nil {
		return b, nil
	}
	d, err := seatmap.Diff(from.Map, e.Map)
	if err != nil {
		return nil, err
	}
	d.Counters = e.Map.Counters
	var raw []byte
	contentType := binaryType
	if asJSON {
		contentType = jsonType
		raw, err = d.JSON()
	} else {
		raw, err = d.AppendBinary(nil)
	}
	if err != nil {
		return nil, err
	}
	b := newBody(contentType, raw)
	e.deltas[key] = b
	return b, nil
}

// cacheControl lets a cache keep an edition for its life, and on while it fetches the
// next one or gets none.
func cacheControl(life time.Duration) string {
	n := int(max(life, Life) / time.Second)
	return fmt.Sprintf("public, max-age=%d, s-maxage=%d, stale-while-revalidate=%d, stale-if-error=60", n, n, 2*n)
}
