package hold

import "sync"

// maxLabels bounds the memory of a Labels: 100 MB when full.
const maxLabels = 1 << 20

// Labels remembers what seats are called. The plan of a venue that has events never
// changes, so a process asks once for each seat. The zero value is ready; nil remembers
// nothing.
type Labels struct {
	mu   sync.RWMutex
	text map[seatKey]string
}

// fill puts what is known of the seats into out and returns those it does not know.
func (l *Labels) fill(out map[seatKey]string, events []int64, ids []int32) (unknownEvents []int64, unknownIDs []int32) {
	if l == nil {
		return events, ids
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	for i, id := range ids {
		k := seatKey{events[i], id}
		if t, known := l.text[k]; known {
			out[k] = t
		} else {
			unknownEvents, unknownIDs = append(unknownEvents, events[i]), append(unknownIDs, id)
		}
	}
	return unknownEvents, unknownIDs
}

// learn keeps labels that were read. A full memory starts again from nothing: filling
// it costs one statement a batch, choosing what to forget would cost more.
func (l *Labels) learn(from map[seatKey]string, events []int64, ids []int32) {
	if l == nil || len(ids) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.text == nil || len(l.text)+len(ids) > maxLabels {
		l.text = make(map[seatKey]string)
	}
	for i, id := range ids {
		k := seatKey{events[i], id}
		if t, known := from[k]; known {
			l.text[k] = t
		}
	}
}
