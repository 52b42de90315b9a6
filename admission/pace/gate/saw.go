package gate

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/ropeline/ropeline/admission/pace"
)

// Saw is one edge's text as numbers. Claims, Work and Flown only grow; the rest is of the last seconds.
type Saw struct {
	Process uint64 // when the process began: counts of another start at nought
	Flown   uint64 // milliseconds that requests were under way, all together
	Claims  [pace.Lags]uint64
	Work    [pace.MaxKinds][pace.Ages]uint64

	Long, Recent             histogram // answers of the last ten and three seconds
	LongFailed, RecentFailed uint64
}

// Saw is what this edge has counted up to now.
func (m *Meter) Saw(now time.Time) *Saw {
	m.mu.Lock()
	defer m.mu.Unlock()
	since := now.Sub(m.began)
	var s Saw
	s.Process = uint64(m.began.UnixMicro())
	if now.Sub(m.ticked) >= time.Second/2 { // two calls of one tick are one second
		m.at = (m.at + 1) % window
		m.past[m.at] = second{}
		m.ticked = now
	}
	this := &m.past[m.at]
	flying, starts := int64(0), time.Duration(0)
	flown := time.Duration(0)
	for i := range m.shards {
		sh := &m.shards[i]
		sh.mu.Lock()
		this.took.add(&sh.took)
		this.failed += sh.failed
		sh.took, sh.failed = histogram{}, 0
		for k := range sh.work {
			for a, n := range sh.work[k] {
				m.work[k][a] += uint64(n)
			}
		}
		sh.work = [pace.MaxKinds][pace.Ages]uint32{}
		flying, starts, flown = flying+sh.flying, starts+sh.starts, flown+sh.flown
		sh.mu.Unlock()
	}
	s.Flown = uint64(max(0, flown+time.Duration(flying)*since-starts) / time.Millisecond)
	s.Claims, s.Work = m.claims, m.work
	for i := range window {
		p := &m.past[(m.at-i+window)%window]
		s.Long.add(&p.took)
		s.LongFailed += uint64(p.failed)
		if i < recent {
			s.Recent.add(&p.took)
			s.RecentFailed += uint64(p.failed)
		}
	}
	// An origin that answers nothing any more has no bad answers either.
	if flying > 0 {
		if age := since - starts/time.Duration(flying); age > overdue {
			s.Long[bucket(int64(age))] += uint32(flying)
			s.Recent[bucket(int64(age))] += uint32(flying)
		}
	}
	return &s
}

const version = 1

// Encode writes pairs of (zeros skipped, number) in varints: most cells are empty.
func (s *Saw) Encode() []byte {
	b := []byte{version}
	b = binary.AppendUvarint(b, s.Process)
	skipped := uint64(0)
	s.each(func(n *uint64) {
		if *n == 0 {
			skipped++
			return
		}
		b = binary.AppendUvarint(b, skipped)
		b = binary.AppendUvarint(b, *n)
		skipped = 0
	})
	out := make([]byte, base64.RawStdEncoding.EncodedLen(len(b)))
	base64.RawStdEncoding.Encode(out, b)
	return out
}

// each visits all numbers but Process, in the order in which they are written.
func (s *Saw) each(f func(*uint64)) {
	f(&s.Flown)
	f(&s.LongFailed)
	f(&s.RecentFailed)
	for i := range s.Claims {
		f(&s.Claims[i])
	}
	for k := range s.Work {
		for a := range s.Work[k] {
			f(&s.Work[k][a])
		}
	}
	for _, h := range []*histogram{&s.Long, &s.Recent} {
		for i := range h {
			n := uint64(h[i])
			f(&n)
			h[i] = uint32(n)
		}
	}
}

var errShort = errors.New("gate: an edge's counts end in the middle")

// Decode reads what Encode wrote, perhaps an edge of another version.
func Decode(text []byte) (*Saw, error) {
	b := make([]byte, base64.RawStdEncoding.DecodedLen(len(text)))
	n, err := base64.RawStdEncoding.Decode(b, text)
	if err != nil || n == 0 {
		return nil, fmt.Errorf("gate: an edge's counts cannot be read: %w", errors.Join(err, errShort))
	}
	if b = b[:n]; b[0] != version {
		return nil, fmt.Errorf("gate: counts of version %d, this edge reads %d: let all edges run one version", b[0], version)
	}
	b = b[1:]
	next := func() (v uint64) {
		if err != nil {
			return 0
		}
		v, n := binary.Uvarint(b)
		if n <= 0 {
			err = errShort
			return 0
		}
		b = b[n:]
		return v
	}
	var s Saw
	s.Process = next()
	skip, value, more := uint64(0), uint64(0), false
	load := func() {
		if more = len(b) > 0; more {
			skip, value = next(), next()
		}
	}
	load()
	s.each(func(n *uint64) {
		switch {
		case !more || err != nil:
		case skip > 0:
			skip--
		default:
			*n = value
			load()
		}
	})
	if err == nil && more {
		err = errors.New("gate: an edge's counts are longer than they can be")
	}
	if err != nil {
		return nil, err
	}
	return &s, nil
}
