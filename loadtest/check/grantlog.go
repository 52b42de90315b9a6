package check

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
)

const maxLine = 1 << 20 // of a line of a grant log

// GrantEvent is one line of an edge's grant log. Fields an event does not have
// are nil or zero.
type GrantEvent struct {
	Seq   int64   `json:"seq"` // the order in which the store decided
	T     float64 `json:"t"`   // store time, unix ms
	RT    float64 `json:"rt"`  // room time, ms
	Room  string  `json:"room"`
	Epoch int64   `json:"epoch"`
	Term  int64   `json:"term"`
	Event string  `json:"event"`

	Vid   string `json:"vid"`
	Index int64  `json:"index"`
	Place *int64 `json:"place"`

	State   string   `json:"state"`
	Rebuilt bool     `json:"rebuilt"` // of a room: the store was lost and made anew
	X       *int64   `json:"x"`
	Rate    *float64 `json:"rate"` // entries per second
	Cap     *int64   `json:"cap"`
	Entry   *float64 `json:"entry_ms"` // room time at which the visitor may enter
	Live    *int64   `json:"live"`     // what the store believes; recomputed here
}

// LoadGrants reads the logs of all edges of a room and brings their events into
// the store's order. An empty room takes the only one there is.
func LoadGrants(paths []string, room string) ([]GrantEvent, error) {
	var all []GrantEvent
	for _, path := range paths {
		events, err := loadGrantFile(path)
		if err != nil {
			return nil, fmt.Errorf("grant log %s: %w", path, err)
		}
		all = append(all, events...)
	}
	slices.SortStableFunc(all, func(a, b GrantEvent) int { return cmp.Compare(a.Seq, b.Seq) })
	// An edge that was killed before it could acknowledge them writes events again.
	all = slices.CompactFunc(all, func(a, b GrantEvent) bool {
		return a.Room == b.Room && a.Epoch == b.Epoch && a.Seq == b.Seq && a.Event == b.Event && a.Vid == b.Vid
	})
	if room == "" {
		for _, e := range all {
			if e.Room != all[0].Room {
				return nil, fmt.Errorf("grant log: rooms %q and %q; choose one with --room", all[0].Room, e.Room)
			}
		}
		return all, nil
	}
	return slices.DeleteFunc(all, func(e GrantEvent) bool { return e.Room != room }), nil
}

func loadGrantFile(path string) ([]GrantEvent, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readGrants(file)
}

func readGrants(r io.Reader) ([]GrantEvent, error) {
	var all []GrantEvent
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		var e GrantEvent
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		switch e.Event {
		case "":
			return nil, fmt.Errorf("line %d: no event", n)
		case "grant":
			if e.Place == nil || e.Entry == nil || e.Vid == "" {
				return nil, fmt.Errorf("line %d: a grant without vid, place or entry_ms", n)
			}
		case "door":
			if e.Place == nil || e.Vid == "" {
				return nil, fmt.Errorf("line %d: somebody at the door without vid or place", n)
			}
		}
		all = append(all, e)
	}
	return all, lines.Err()
}
