package admission

import (
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	"sort"
	"time"
)

// Use says what a key is for. A key signs one kind of thing only.
type Use string

// The uses. Ticket and draw keys are known to the edges alone; the public half of a pass key is published.
const (
	UseTicket Use = "ticket"
	UsePass   Use = "pass"
	UseDraw   Use = "draw"
)

const (
	keyBytes = 32 // of a secret and of an Ed25519 seed
	maxKeys  = 64 // in one ring
)

// Key is one signing key with its life.
type Key struct {
	Kid       string
	Use       Use
	Alg       string    // AlgHS256, or AlgEdDSA (pass keys only)
	NotBefore time.Time // signs from here on
	RetireAt  time.Time // zero: never; after it the key neither signs nor verifies
	Recalled  bool      // believed stolen: refused at once

	secret []byte             // HS256 and draw
	priv   ed25519.PrivateKey // EdDSA, when we may sign
	pub    ed25519.PublicKey  // EdDSA
}

// NewKey draws a key. EdDSA is for passes, so that origins need no secret of ours.
func NewKey(use Use, alg string, notBefore time.Time) *Key {
	b := make([]byte, keyBytes)
	_, _ = rand.Read(b)
	id := make([]byte, 6)
	_, _ = rand.Read(id)
	k := &Key{Kid: string(use) + "-" + strict64.EncodeToString(id), Use: use, Alg: alg, NotBefore: notBefore}
	k.setSecret(b)
	return k
}

func (k *Key) setSecret(b []byte) {
	if k.Alg == AlgEdDSA {
		k.priv = ed25519.NewKeyFromSeed(b)
		k.pub = k.priv.Public().(ed25519.PublicKey)
		return
	}
	k.secret = b
}

func (k *Key) signing() any {
	if k.Alg == AlgEdDSA {
		return k.priv
	}
	return k.secret
}

func (k *Key) verifying() any {
	if k.Alg == AlgEdDSA {
		return k.pub
	}
	return k.secret
}

// Secret is the raw secret of a draw key; nil for any other.
func (k *Key) Secret() []byte {
	if k.Use == UseDraw {
		return k.secret
	}
	return nil
}

func (k *Key) usable(now time.Time) error {
	switch {
	case k.Recalled:
		return invalid(ReasonKey, "key %s was recalled", k.Kid)
	case !k.RetireAt.IsZero() && now.After(k.RetireAt):
		return invalid(ReasonKey, "key %s was retired", k.Kid)
	}
	return nil
}

// Keyring holds the keys of an edge. It never changes; a changed directory is a new ring.
type Keyring struct {
	byKid map[string]*Key
	order []*Key // by NotBefore, newest first
}

// NewKeyring checks that kids are unique and that each use has a key.
func NewKeyring(keys ...*Key) (*Keyring, error) {
	r := &Keyring{byKid: make(map[string]*Key, len(keys))}
	have := map[Use]bool{}
	for _, k := range keys {
		if r.byKid[k.Kid] != nil {
			return nil, fmt.Errorf("two keys named %s", k.Kid)
		}
		r.byKid[k.Kid] = k
		r.order = append(r.order, k)
		have[k.Use] = true
	}
	for _, u := range []Use{UseTicket, UsePass, UseDraw} {
		if !have[u] {
			return nil, fmt.Errorf("no key with use %q", u)
		}
	}
	sort.SliceStable(r.order, func(i, j int) bool { return r.order[i].NotBefore.After(r.order[j].NotBefore) })
	return r, nil
}

// signer is the newest key of a use that is in force.
func (r *Keyring) signer(use Use, now time.Time) (*Key, error) {
	for _, k := range r.order {
		if k.Use == use && !k.NotBefore.After(now.Add(Leeway)) && k.usable(now) == nil {
			return k, nil
		}
	}
	return nil, invalid(ReasonKey, "no %s key is in force: add one with ropeline keys", use)
}

// DrawKey is the key that the secrets of draws are derived from: the oldest that still may be used. A newer one
// beside it must not take over in the middle of a room's life, where it would break the published commitment.
func (r *Keyring) DrawKey(now time.Time) (*Key, error) {
	for i := len(r.order) - 1; i >= 0; i-- {
		if k := r.order[i]; k.Use == UseDraw && k.usable(now) == nil {
			return k, nil
		}
	}
	return nil, invalid(ReasonKey, "no draw key is in force: add one with ropeline keys")
}

// KeyByID finds a key whatever its age; a draw keeps the key it was committed with until its room is closed.
func (r *Keyring) KeyByID(kid string) *Key { return r.byKid[kid] }

// find is the verifying side: a key that signs only later is accepted already, since another edge's clock may be ahead.
func (r *Keyring) find(use Use, kid string, now time.Time) (*Key, error) {
	k := r.byKid[kid]
	if k == nil || k.Use != use {
		return nil, invalid(ReasonKey, "no %s key %q", use, clip(kid))
	}
	return k, k.usable(now)
}
