package caddymodule

import (
	"context"
	"crypto/sha256"
	"os"
	"path/filepath"
	"sort"
	"time"

	"github.com/ropeline/ropeline/admission"
)

// keysEvery is how often an edge looks at its keys directory: a recall is in force at every edge within 5 s.
const keysEvery = 3 * time.Second

// watchKeys follows the directory by reading it: notifications do not cross the network file systems that edges share.
func (a *App) watchKeys(ctx context.Context) {
	last := keysPrint(a.Keys)
	t := time.NewTicker(keysEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if now := keysPrint(a.Keys); now != last {
				last = now
				a.rereadKeys()
			}
			a.rereadSecrets()
		}
	}
}

// rereadKeys takes what is in the directory now. A directory that cannot be read leaves the keys as they were.
func (a *App) rereadKeys() {
	ring, err := admission.LoadKeys(a.Keys)
	if err != nil {
		a.log.Error("the changed keys are not used", "error", err)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ring.Store(ring)
	for _, c := range a.sorted() {
		c.room.useKeys(ring)
	}
	a.log.Info("the keys have changed", "keys", len(ring.Keys()))
}

// rereadSecrets follows the files of origin_secret.
func (a *App) rereadSecrets() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.sorted() {
		c.room.rereadSecret()
	}
}

// keysPrint changes when any key file does.
func keysPrint(dir string) (sum [32]byte) {
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return sum
	}
	sort.Strings(names)
	h := sha256.New()
	for _, name := range names {
		b, _ := os.ReadFile(name) // one that vanished in between is a change like any other
		h.Write([]byte(name))
		h.Write(b)
	}
	return [32]byte(h.Sum(nil))
}
