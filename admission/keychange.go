package admission

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const (
	// passKeyAhead is how long a new pass key is published before it signs: origins keep a key set for 5 minutes.
	passKeyAhead = 10 * time.Minute
	// ticketKeyAhead is how long the edges have to see a new ticket key before one of them signs with it.
	ticketKeyAhead = time.Minute
	// retireMargin is added to the life of the last token that an old key signs.
	retireMargin = time.Minute
)

// RotateKey adds a key for a use and gives the keys it replaces an end, after which nothing they signed can still be
// good. Nobody loses anything by it. It returns the new key.
func RotateKey(dir string, use Use, now time.Time) (*Key, error) {
	ring, err := LoadKeys(dir)
	if err != nil {
		return nil, err
	}
	alg, ahead, life := AlgHS256, ticketKeyAhead, TicketRetention
	switch use {
	case UseTicket:
	case UsePass:
		ahead, life = passKeyAhead, PassLife
		if k, err := ring.signer(UsePass, now); err == nil {
			alg = k.Alg
		}
	case UseDraw:
		return nil, errors.New("draw keys are not rotated: the commitment of every room depends on its draw key; recall a stolen one")
	default:
		return nil, fmt.Errorf("use %q: rotate ticket or pass", use)
	}
	now = now.UTC().Truncate(time.Second)
	for _, k := range ring.order {
		if k.Use == use && k.NotBefore.After(now) && k.usable(now) == nil {
			return nil, fmt.Errorf("key %s is new and signs from %s on: rotate again after that", k.Kid, k.NotBefore.Format(time.RFC3339))
		}
	}
	if len(ring.order) >= maxKeys {
		return nil, fmt.Errorf("%s holds %d keys, the most there may be: remove retired ones", dir, maxKeys)
	}
	next := NewKey(use, alg, now.Add(ahead))
	// The new key first: a crash in between leaves an old key without an end, not a use without a key.
	if err := writeKey(dir, next); err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	for _, k := range ring.order {
		if k.Use == use && !k.Recalled && k.RetireAt.IsZero() {
			k.RetireAt = next.NotBefore.Add(life + Leeway + retireMargin)
			if err := writeKey(dir, k); err != nil {
				return nil, fmt.Errorf("key file: %w", err)
			}
		}
	}
	return next, nil
}

// RecallKey takes a key out of use at once, with all it signed. If no other key of its use is in force, a new one is
// made, which is returned.
func RecallKey(dir, kid string, now time.Time) (*Key, error) {
	ring, err := LoadKeys(dir)
	if err != nil {
		return nil, err
	}
	k := ring.KeyByID(kid)
	if k == nil {
		return nil, fmt.Errorf("no key %q in %s: see `ropeline keys list %s`", kid, dir, dir)
	}
	k.Recalled = true
	var next *Key
	if _, err := ring.signer(k.Use, now); err != nil {
		if len(ring.order) >= maxKeys {
			return nil, fmt.Errorf("%s holds %d keys, the most there may be: remove retired ones", dir, maxKeys)
		}
		next = NewKey(k.Use, k.Alg, now.UTC().Truncate(time.Second))
		if err := writeKey(dir, next); err != nil {
			return nil, fmt.Errorf("key file: %w", err)
		}
	}
	if err := writeKey(dir, k); err != nil {
		return nil, fmt.Errorf("key file: %w", err)
	}
	return next, nil
}

// Keys lists the ring, newest first.
func (r *Keyring) Keys() []*Key { return append([]*Key(nil), r.order...) }

// Phase says in one word what a key does at a moment.
func (k *Key) Phase(r *Keyring, now time.Time) string {
	if k.Recalled {
		return "recalled"
	}
	if k.usable(now) != nil {
		return "retired"
	}
	if k.NotBefore.After(now) {
		return "next"
	}
	signer, err := r.signer(k.Use, now)
	if k.Use == UseDraw {
		signer, err = r.DrawKey(now)
	}
	if err == nil && signer == k {
		return "signs"
	}
	return "verifies"
}

// replaceFile writes a file whole or not at all.
func replaceFile(name string, b []byte, mode os.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(b)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
