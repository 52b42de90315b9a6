package caddymodule

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/ropeline/ropeline/admission/line"
)

// grantLog writes what the room did, one JSON object a line, in the store's order. Who keeps the file can recompute
// that nobody entered out of turn and that the limits held, from the file alone.
type grantLog struct {
	mu   sync.Mutex
	path string
	file *os.File
	buf  []byte
}

// open switches to a file, "" to none. Nothing is lost at the switch, since writing waits for it.
func (g *grantLog) open(path string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if path == g.path {
		return nil
	}
	var f *os.File
	if path != "" {
		var err error
		// 0640: it holds visitor ids, though no tokens.
		if f, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o640); err != nil {
			return fmt.Errorf("grant_log: %w: name a file in a directory that exists and can be written", err)
		}
	}
	if g.file != nil {
		_ = g.file.Close()
	}
	g.path, g.file = path, f
	return nil
}

func (g *grantLog) close() { _ = g.open("") }

// write appends a batch with one call, so that a reader never sees half a line of it.
func (g *grantLog) write(events []line.Event) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.file == nil {
		return nil
	}
	g.buf = g.buf[:0]
	for _, e := range events {
		g.buf = e.AppendJSON(g.buf)
	}
	_, err := g.file.Write(g.buf)
	return err
}

// events is called by the line, in order, before the visitors concerned get their answers.
func (r *room) events(events []line.Event) {
	countEvents(r.name, events)
	for _, e := range events {
		if e.Kind == line.EventRoom && e.Reason != "" { // nobody's order: the clock, the draw, a loss of the store
			rec := auditRecord{T: stamp(time.UnixMilli(e.T)), Room: r.name, Epoch: e.Epoch, Term: e.Term, Who: "room", What: whatState, After: e.State, Why: e.Reason}
			if err := r.audit.write(rec); err != nil {
				r.log.Error("a change of state is not in the audit log", "error", err)
			}
		}
	}
	if err := r.grants.write(events); err != nil {
		r.log.Error("the grant log could not be written", "error", err)
	}
}
