package caddymodule

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// openGrants makes the file but not its directory: made by a slip of the pen, it would be where nobody looks for the log.
func openGrants(path string) (*os.File, error) {
	if err := checkDirOf("grant_log", path); err != nil {
		return nil, err
	}
	// 0640: it holds visitor ids, though no tokens.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o640)
	if err == nil {
		return f, nil
	}
	cure := "name a file that this user may write"
	if errors.Is(err, fs.ErrPermission) {
		cure = fmt.Sprintf("give the directory to the user this runs as (chown <user> %s), or name a file elsewhere", filepath.Dir(path))
	}
	return nil, fmt.Errorf("grant_log: %w: %s", err, cure)
}

// checkDirOf asks for the directory of the log.
func checkDirOf(option, path string) error {
	if path == "" {
		return nil
	}
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s %s: there is no directory %s: make it (install -d -o <user> %s, with the user this runs as), or correct the path", option, path, dir, dir)
	case errors.Is(err, fs.ErrPermission):
		return nil // another user validates than the one it runs as
	case err != nil:
		return fmt.Errorf("%s %s: %w: name a file in a directory", option, path, err)
	case !info.IsDir():
		return fmt.Errorf("%s %s: %s is not a directory: name a file in a directory", option, path, dir)
	}
	return nil
}

// maxGrantLine bounds one line of the log.
const maxGrantLine = 64 << 10

// lastGrant reads the Seq of the room's last event in the log, and cuts off a last line without its end: a crash stood in the
// way of it, and its event comes again. 0: there is none.
func lastGrant(path, room string) (int64, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return 0, fmt.Errorf("grant_log: %w", err)
	}
	defer f.Close()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, fmt.Errorf("grant_log: %w", err)
	}
	// Backwards, block by block: a log of several rooms may end with many lines of another.
	var tail []byte
	first := true
	for end > 0 {
		block := make([]byte, min(end, maxGrantLine))
		end -= int64(len(block))
		if _, err := f.ReadAt(block, end); err != nil {
			return 0, fmt.Errorf("grant_log: %w", err)
		}
		tail = append(block, tail...)
		if first {
			whole := bytes.LastIndexByte(tail, '\n') + 1
			if whole < len(tail) {
				if err := f.Truncate(end + int64(whole)); err != nil {
					return 0, fmt.Errorf("grant_log: %w", err)
				}
			}
			tail, first = tail[:whole], false
		}
		lines := bytes.Split(tail, []byte{'\n'})
		for i := len(lines) - 1; i > 0; i-- {
			var e line.Event
			if json.Unmarshal(lines[i], &e) == nil && e.Room == room {
				return e.Seq, nil
			}
		}
		tail = lines[0]
		var e line.Event
		if end == 0 && json.Unmarshal(tail, &e) == nil && e.Room == room {
			return e.Seq, nil
		}
	}
	return 0, nil
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
		if e.Kind == line.EventPickup && e.EntryMS != nil {
			r.paced.Claim(int64(*e.EntryMS*1000), int64(e.RT*1000))
		}
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
