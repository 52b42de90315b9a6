package caddymodule

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// keptName is the edge's small memory of a room beside the line's own log.
const keptName = "operator.json"

// kept is what operators and schedules have done at this edge and what has to outlive a restart: changes that will be
// taken back, and the closing time that has been acted on.
type kept struct {
	mu   sync.Mutex
	path string
	is   keptState
}

type keptState struct {
	Expiring  map[string]expiry `json:"expiring,omitempty"`
	ClosedFor int64             `json:"closed_for,omitempty"` // unix ms of the closes_at that was carried out
}

// expiry takes a change back at its time, if nobody has changed the same thing since.
type expiry struct {
	Set string    `json:"set"`
	Was string    `json:"was"`
	At  time.Time `json:"at"`
	Who string    `json:"who"`
}

func loadKept(dir string) (*kept, error) {
	k := &kept{path: filepath.Join(dir, keptName)}
	b, err := os.ReadFile(k.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return k, nil
	case err == nil:
		err = json.Unmarshal(b, &k.is)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: repair or remove it", k.path, err)
	}
	return k, nil
}

// update changes the state and puts it on disk; a crash leaves the old file or the new one.
func (k *kept) update(f func(*keptState)) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	f(&k.is)
	b, err := json.Marshal(k.is)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(k.path), 0o700); err != nil {
		return err
	}
	tmp := k.path + ".new"
	if err := os.WriteFile(tmp, b, 0o640); err != nil {
		return err
	}
	return os.Rename(tmp, k.path)
}

// changed remembers when to take a change back. A later change of the same thing replaces the earlier one's end; if
// it builds on one that would have ended, it goes back to what was before both.
func (k *kept) changed(c change, before, after string) error {
	k.mu.Lock()
	old, had := k.is.Expiring[c.What]
	k.mu.Unlock()
	if c.Until.IsZero() && !had {
		return nil
	}
	return k.update(func(s *keptState) {
		delete(s.Expiring, c.What)
		if c.Until.IsZero() {
			return
		}
		if had && old.Set == before {
			before = old.Was
		}
		if before == after && c.What != whatState { // nothing would be taken back; a pause ends even so
			return
		}
		if s.Expiring == nil {
			s.Expiring = map[string]expiry{}
		}
		s.Expiring[c.What] = expiry{Set: after, Was: before, At: c.Until, Who: c.Who}
	})
}

// due lists the changes to take back at now.
func (k *kept) due(now time.Time) map[string]expiry {
	k.mu.Lock()
	defer k.mu.Unlock()
	var out map[string]expiry
	for what, e := range k.is.Expiring {
		if !now.Before(e.At) {
			if out == nil {
				out = map[string]expiry{}
			}
			out[what] = e
		}
	}
	return out
}

func (k *kept) drop(what string) error {
	return k.update(func(s *keptState) { delete(s.Expiring, what) })
}

func (k *kept) expiring() map[string]expiry {
	k.mu.Lock()
	defer k.mu.Unlock()
	return maps.Clone(k.is.Expiring)
}
