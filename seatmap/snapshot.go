package seatmap

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Map is what of one event is free, at one version.
type Map struct {
	Geometry Geometry
	Version  Version
	Seats    int       // n
	States   []byte    // packed, Size(n) bytes
	Counters []Counter // by id, ascending
}

// Check says what is wrong with a map that was put together by hand.
func (m *Map) Check() error {
	if m.Version.V < 0 || m.Version.E < 0 {
		return fmt.Errorf("seatmap: version %s is negative", m.Version)
	}
	if err := checkPacked(m.States, m.Seats); err != nil {
		return err
	}
	return checkCounters(m.Counters)
}

func checkCounters(counters []Counter) error {
	if len(counters) > MaxCounters {
		return fmt.Errorf("seatmap: %d counters, at most %d", len(counters), MaxCounters)
	}
	last := int64(0)
	for _, c := range counters {
		if c.ID <= last {
			return fmt.Errorf("seatmap: counter %d comes after counter %d: ids ascend from 1", c.ID, last)
		}
		last = c.ID
	}
	return nil
}

// AppendBinary appends the snapshot's frame to b. It allocates nothing if b has room.
func (m *Map) AppendBinary(b []byte) ([]byte, error) {
	if err := m.Check(); err != nil {
		return b, err
	}
	start := len(b)
	b = appendHeader(b, kindSnapshot, m.Geometry)
	b = appendVersion(b, m.Version)
	b = binary.AppendUvarint(b, uint64(m.Seats))
	b = appendCounters(b, m.Counters)
	b = append(b, m.States...)
	return binary.LittleEndian.AppendUint32(b, checksum(b[start:])), nil
}

// DecodeMap reads a snapshot. The map does not share memory with frame.
func DecodeMap(frame []byte) (*Map, error) {
	r, g := open(frame, kindSnapshot)
	m := &Map{Geometry: g, Version: r.version()}
	m.Seats = int(r.number("seats", MaxSeats))
	m.Counters = r.counters()
	packed := r.bytes("packed seats", Size(m.Seats))
	if err := r.end(); err != nil {
		return nil, err
	}
	if err := checkPacked(packed, m.Seats); err != nil {
		return nil, err
	}
	m.States = append([]byte(nil), packed...)
	return m, nil
}

// JSON gives the snapshot for those who would rather not read bytes: the same
// facts, states in base64 of the packed form.
func (m *Map) JSON() ([]byte, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		Format   int       `json:"format"`
		Kind     string    `json:"kind"`
		Geometry string    `json:"geometry"`
		Version  Version   `json:"version"`
		Seats    int       `json:"seats"`
		States   []byte    `json:"states"`
		Counters []Counter `json:"counters"`
	}{format, "snapshot", hex.EncodeToString(m.Geometry[:]), m.Version, m.Seats, m.States, orEmpty(m.Counters)})
}

// orEmpty keeps null out of JSON, where a reader expects a list.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
