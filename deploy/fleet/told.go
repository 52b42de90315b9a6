package fleet

import (
	"encoding/json"
	"sync"
	"time"

	"github.com/ropeline/ropeline/loadtest/history"
)

// Told collects the places that visitors are shown, so that the judge can say that none ever grew.
type Told struct {
	mu      sync.Mutex
	since   time.Time
	clients map[*Visitor]int
	spans   []history.Span
}

func (t *Told) note(v *Visitor, began time.Time, place int64) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.clients == nil {
		t.clients, t.since = map[*Visitor]int{}, began
	}
	if t.clients[v] == 0 {
		t.clients[v] = len(t.clients) + 1
	}
	result, _ := json.Marshal(history.Answer{Place: &place}) // numbers always encode
	at := func(moment time.Time, as history.Type) history.Entry {
		return history.Entry{Op: int64(len(t.spans)), Client: t.clients[v], F: "shown", Type: as, Mono: int64(moment.Sub(t.since))}
	}
	s := history.Span{Begin: at(began, history.Invoke), End: at(time.Now(), history.OK)}
	s.End.Result = result
	t.spans = append(t.spans, s)
}

// History is everything noted so far.
func (t *Told) History() []history.Span {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.spans
}
