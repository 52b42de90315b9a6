package caddymodule

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// auditName is the log of changes in the app's data directory. No room can have this name: it has a dot.
const auditName = "audit.jsonl"

// auditRecord is one change of a room: who did what, what was before and after, why, and until when it holds.
type auditRecord struct {
	T       string `json:"t"` // by the store's clock, RFC 3339 with milliseconds
	Room    string `json:"room"`
	Epoch   int64  `json:"epoch"`
	Term    int64  `json:"term"`
	Who     string `json:"who"`
	What    string `json:"what"`
	Before  string `json:"before"`
	After   string `json:"after"`
	Why     string `json:"why,omitempty"`
	Expires string `json:"expires,omitempty"`
}

// auditLog is one file, shared by the rooms of a data directory. It opens the file for each record: changes are rare,
// and a file that was rotated away is made anew.
type auditLog struct {
	mu   sync.Mutex
	path string
}

func newAuditLog(dataDir string) *auditLog { return &auditLog{path: filepath.Join(dataDir, auditName)} }

// write puts the record on the disk before it returns.
func (a *auditLog) write(rec auditRecord) error {
	b, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := os.MkdirAll(filepath.Dir(a.path), 0o700); err != nil {
		return fmt.Errorf("audit log: %w", err)
	}
	f, err := os.OpenFile(a.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o640)
	if err != nil {
		return fmt.Errorf("audit log: %w", err)
	}
	_, err = f.Write(append(b, '\n'))
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// note records a change of the room. A log that cannot be written is an alarm and no reason to refuse: somebody who
// pauses a room in an emergency must be able to.
func (r *room) note(who, what, before, after, why string, until time.Time) {
	s := r.line.Snapshot()
	rec := auditRecord{T: stamp(r.now()), Room: r.name, Epoch: s.Epoch, Term: s.Term, Who: who, What: what, Before: before, After: after, Why: why}
	if !until.IsZero() {
		rec.Expires = stamp(until)
	}
	r.log.Info("the room was changed", "who", who, "what", what, "before", before, "after", after, "why", why, "expires", rec.Expires)
	if err := r.audit.write(rec); err != nil {
		r.log.Error("a change is not in the audit log", "what", what, "error", err)
	}
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z07:00") }
