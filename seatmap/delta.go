package seatmap

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
)

// Delta leads from one version of a map to a later one.
type Delta struct {
	Geometry Geometry
	From, To Version
	Seats    int
	Changes  []Change  // by seat, ascending
	Counters []Counter // the changed ones, by id
	Sum      uint32    // CRC-32C of the packed seats after it
}

// Change is the new state of one seat.
type Change struct {
	Seat  int
	State State
}

// ErrOtherMap is of a delta that does not belong to the map: another event's, or
// from another version. Ask for a snapshot.
var ErrOtherMap = errors.New("seatmap: the delta is not from this map")

// Diff gives the delta from one map to a later one of the same event.
func Diff(from, to *Map) (*Delta, error) {
	if from.Geometry != to.Geometry || from.Seats != to.Seats || len(from.States) != len(to.States) {
		return nil, fmt.Errorf("%w: geometry or number of seats changed", ErrOtherMap)
	}
	if from.Version.Compare(to.Version) > 0 {
		return nil, fmt.Errorf("%w: version %s is after %s", ErrOtherMap, from.Version, to.Version)
	}
	d := &Delta{Geometry: to.Geometry, From: from.Version, To: to.Version, Seats: to.Seats, Sum: checksum(to.States)}
	d.Changes = diffStates(from.States, to.States)
	var err error
	d.Counters, err = diffCounters(from.Counters, to.Counters)
	return d, err
}

// diffStates compares eight bytes at a time: almost everything of a large map is
// as it was a second ago.
func diffStates(a, b []byte) []Change {
	var changes []Change
	word := func(i int, x, y uint64) {
		for diff := x ^ y; diff != 0; {
			seat := bits.TrailingZeros64(diff) / 2
			changes = append(changes, Change{i*4 + seat + 1, State(y >> (seat * 2) & 3)})
			diff &^= 3 << (seat * 2)
		}
	}
	i := 0
	for ; i+8 <= len(a); i += 8 {
		word(i, binary.LittleEndian.Uint64(a[i:]), binary.LittleEndian.Uint64(b[i:]))
	}
	for ; i < len(a); i++ {
		word(i, uint64(a[i]), uint64(b[i]))
	}
	return changes
}

// diffCounters gives those whose level changed. Counters come into being, but
// none goes away: a counter that is closed has level 0.
func diffCounters(a, b []Counter) ([]Counter, error) {
	var changed []Counter
	for _, c := range b {
		if len(a) > 0 && a[0].ID < c.ID {
			return nil, fmt.Errorf("%w: counter %d is gone", ErrOtherMap, a[0].ID)
		}
		if len(a) > 0 && a[0].ID == c.ID {
			same := a[0].Level == c.Level
			a = a[1:]
			if same {
				continue
			}
		}
		changed = append(changed, c)
	}
	if len(a) > 0 {
		return nil, fmt.Errorf("%w: counter %d is gone", ErrOtherMap, a[0].ID)
	}
	return changed, nil
}

// Apply changes m to what the delta leads to. On an error m is as it was.
func (m *Map) Apply(d *Delta) error {
	if m.Geometry != d.Geometry || m.Seats != d.Seats || m.Version != d.From {
		return fmt.Errorf("%w: the map is at %s, the delta from %s", ErrOtherMap, m.Version, d.From)
	}
	states := bytes.Clone(m.States)
	for _, c := range d.Changes {
		if !Set(states, c.Seat, c.State) || c.Seat > m.Seats {
			return fmt.Errorf("seatmap: change of seat %d, the map has %d", c.Seat, m.Seats)
		}
	}
	if checksum(states) != d.Sum {
		return fmt.Errorf("%w: it leads to other seats than its sum says", ErrOtherMap)
	}
	m.States, m.Version = states, d.To
	m.Counters = mergeCounters(m.Counters, d.Counters)
	return nil
}

func mergeCounters(old, changed []Counter) []Counter {
	if len(changed) == 0 {
		return old
	}
	merged := make([]Counter, 0, len(old)+len(changed))
	for len(old) > 0 || len(changed) > 0 {
		switch {
		case len(old) == 0 || len(changed) > 0 && changed[0].ID < old[0].ID:
			merged, changed = append(merged, changed[0]), changed[1:]
		case len(changed) == 0 || old[0].ID < changed[0].ID:
			merged, old = append(merged, old[0]), old[1:]
		default:
			merged, changed, old = append(merged, changed[0]), changed[1:], old[1:]
		}
	}
	return merged
}

// Check says what is wrong with a delta that was put together by hand.
func (d *Delta) Check() error {
	if d.From.V < 0 || d.From.E < 0 || d.From.Compare(d.To) > 0 || d.To.E < 0 {
		return fmt.Errorf("seatmap: delta from %s to %s", d.From, d.To)
	}
	if d.Seats < 0 || d.Seats > MaxSeats {
		return fmt.Errorf("seatmap: %d seats, want 0 to %d", d.Seats, MaxSeats)
	}
	last := 0
	for _, c := range d.Changes {
		if c.Seat <= last || c.Seat > d.Seats || c.State > Blocked {
			return fmt.Errorf("seatmap: change of seat %d to %d after seat %d of %d", c.Seat, c.State, last, d.Seats)
		}
		last = c.Seat
	}
	return checkCounters(d.Counters)
}

// AppendBinary appends the delta's frame to b.
func (d *Delta) AppendBinary(b []byte) ([]byte, error) {
	if err := d.Check(); err != nil {
		return b, err
	}
	start := len(b)
	b = appendHeader(b, kindDelta, d.Geometry)
	b = appendVersion(appendVersion(b, d.From), d.To)
	b = binary.AppendUvarint(b, uint64(d.Seats))
	b = appendCounters(b, d.Counters)
	b = binary.AppendUvarint(b, uint64(len(d.Changes)))
	last := 0
	for _, c := range d.Changes {
		b = binary.AppendUvarint(b, uint64(c.Seat-last)<<2|uint64(c.State))
		last = c.Seat
	}
	b = binary.LittleEndian.AppendUint32(b, d.Sum)
	return binary.LittleEndian.AppendUint32(b, checksum(b[start:])), nil
}

// DecodeDelta reads a delta. The delta does not share memory with frame.
func DecodeDelta(frame []byte) (*Delta, error) {
	r, g := open(frame, kindDelta)
	d := &Delta{Geometry: g, From: r.version(), To: r.version()}
	d.Seats = int(r.number("seats", MaxSeats))
	d.Counters = r.counters()
	if n := r.count("changes", MaxSeats, 1); n > 0 {
		d.Changes = make([]Change, 0, n)
		seat := 0
		for range n {
			x := r.number("change", MaxSeats<<2|3)
			seat += int(x >> 2)
			d.Changes = append(d.Changes, Change{seat, State(x & 3)})
		}
	}
	if sum := r.bytes("sum", sumSize); sum != nil {
		d.Sum = binary.LittleEndian.Uint32(sum)
	}
	if err := r.end(); err != nil {
		return nil, err
	}
	return d, d.Check()
}

// JSON gives the delta with its changes as pairs of seat and state.
func (d *Delta) JSON() ([]byte, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	pairs := make([][2]int, len(d.Changes))
	for i, c := range d.Changes {
		pairs[i] = [2]int{c.Seat, int(c.State)}
	}
	return json.Marshal(struct {
		Format   int       `json:"format"`
		Kind     string    `json:"kind"`
		Geometry string    `json:"geometry"`
		From     Version   `json:"from"`
		To       Version   `json:"to"`
		Seats    int       `json:"seats"`
		Changes  [][2]int  `json:"changes"`
		Counters []Counter `json:"counters"`
		Sum      uint32    `json:"sum"`
	}{format, "delta", hex.EncodeToString(d.Geometry[:]), d.From, d.To, d.Seats, pairs, orEmpty(d.Counters), d.Sum})
}
