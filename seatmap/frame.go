package seatmap

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/bits"
)

const (
	magic  = "RLSM"
	format = 1

	kindSnapshot = 1
	kindDelta    = 2

	headerSize = len(magic) + 2 + len(Geometry{})
	sumSize    = 4

	// MaxCounters bounds the areas and classes of one event.
	MaxCounters = 1 << 12
)

// Geometry names a geometry document: the first eight bytes of its SHA-256.
type Geometry [8]byte

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

func appendHeader(b []byte, kind byte, g Geometry) []byte {
	b = append(b, magic...)
	b = append(b, format, kind)
	return append(b, g[:]...)
}

func appendVersion(b []byte, v Version) []byte {
	b = binary.AppendUvarint(b, uint64(v.V))
	return binary.AppendUvarint(b, uint64(v.E))
}

func appendCounters(b []byte, counters []Counter) []byte {
	b = binary.AppendUvarint(b, uint64(len(counters)))
	last := int64(0)
	for _, c := range counters {
		b = binary.AppendUvarint(b, uint64(c.ID-last))
		b = binary.AppendUvarint(b, uint64(c.Level))
		last = c.ID
	}
	return b
}

// reader takes a frame apart. The first error stays and every later call returns
// zero, so that a decoder reads like the layout and looks at err once.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("seatmap: "+format, args...)
	}
	r.rest = nil
}

// open checks what both kinds have in common and leaves the body.
func open(frame []byte, kind byte) (*reader, Geometry) {
	r := &reader{}
	var g Geometry
	switch {
	case len(frame) < headerSize+sumSize:
		r.fail("%d bytes, a frame has at least %d", len(frame), headerSize+sumSize)
	case string(frame[:len(magic)]) != magic:
		r.fail("does not begin with %q", magic)
	case frame[4] != format:
		r.fail("format %d, this program reads %d", frame[4], format)
	case frame[5] != kind:
		r.fail("kind %d, want %d (1 snapshot, 2 delta)", frame[5], kind)
	default:
		body := frame[:len(frame)-sumSize]
		if binary.LittleEndian.Uint32(frame[len(body):]) != checksum(body) {
			r.fail("checksum differs: the bytes were damaged on their way")
			break
		}
		copy(g[:], frame[6:])
		r.rest = body[headerSize:]
	}
	return r, g
}

// number reads a varint of at most limit in its shortest form.
func (r *reader) number(what string, limit uint64) uint64 {
	if r.err != nil {
		return 0
	}
	v, n := binary.Uvarint(r.rest)
	switch {
	case n <= 0:
		r.fail("%s: cut short or more than 64 bits", what)
		return 0
	case v > limit:
		r.fail("%s: %d, at most %d", what, v, limit)
		return 0
	case n != max(1, (bits.Len64(v)+6)/7):
		r.fail("%s: %d in %d bytes, which is not its shortest form", what, v, n)
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *reader) version() Version {
	const limit = 1<<63 - 1
	return Version{int64(r.number("version", limit)), int64(r.number("expiry of the version", limit))}
}

// count reads how many things follow, each at least size bytes long: what cannot
// be there is refused before anything is allocated for it.
func (r *reader) count(what string, limit, size int) int {
	n := int(r.number("number of "+what, uint64(limit)))
	if n*size > len(r.rest) {
		r.fail("%d %s in %d bytes", n, what, len(r.rest))
		return 0
	}
	return n
}

func (r *reader) counters() []Counter {
	n := r.count("counters", MaxCounters, 2)
	if n == 0 {
		return nil
	}
	counters := make([]Counter, 0, n)
	last := int64(0)
	for range n {
		step := r.number("counter id", uint64(1<<63-1-last))
		if step == 0 {
			r.fail("counter ids do not ascend")
		}
		level := r.number("level", 1<<32-1)
		if r.err != nil {
			return nil
		}
		last += int64(step)
		counters = append(counters, Counter{last, Level(level)})
	}
	return counters
}

func (r *reader) bytes(what string, n int) []byte {
	if r.err == nil && len(r.rest) < n {
		r.fail("%s: %d bytes, want %d", what, len(r.rest), n)
	}
	if r.err != nil {
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// end gives the error of the whole frame; bytes left over are one.
func (r *reader) end() error {
	if len(r.rest) > 0 {
		r.fail("%d bytes more than the frame's contents", len(r.rest))
	}
	return r.err
}
