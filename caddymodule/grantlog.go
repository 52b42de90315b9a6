package caddymodule

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
		if f, err = openGrants(path); err != nil {
			return err
		}
	}
	if g.file != nil {
		_ = g.file.Close()
	}
	g.path, g.file = path, f
	return nil
}

// openGrants makes the directory too, as Caddy's own logs do: a file to copy must start on a machine that never saw it.
func openGrants(path string) (*os.File, error) {
	err := os.MkdirAll(filepath.Dir(path), 0o750)
	if err == nil {
		// 0640: it holds visitor ids, though no tokens.
		var f *os.File
		if f, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o640); err == nil {
			return f, nil
		}
	}
	cure := "name a file that this user may write"
	if errors.Is(err, fs.ErrPermission) {
		cure = fmt.Sprintf("make the directory as root and give it to the user this runs as (install -d -o <user> %s), or name a file elsewhere", filepath.Dir(path))
	}
	return nil, fmt.Errorf("grant_log: %w: %s", err, cure)
}

// tryGrantLog finds out, without any effect on a file that exists, whether it could be written.
func tryGrantLog(path string) error {
	var g grantLog
	defer g.close()
	return g.open(path)
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
