package admission

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// keyFile is one file of a key directory, named <kid>.json.
type keyFile struct {
	Kid       string     `json:"kid"`
	Use       Use        `json:"use"`
	Alg       string     `json:"alg"`
	NotBefore time.Time  `json:"not_before"`
	RetireAt  *time.Time `json:"retire_at,omitempty"`
	Recalled  bool       `json:"recalled,omitempty"`
	Key       string     `json:"key"` // base64url of 32 bytes: the secret, or the Ed25519 seed
}

// ErrNoKeys is returned by LoadKeys for a directory that is missing or holds no key.
var ErrNoKeys = errors.New("no keys")

// LoadKeys reads every *.json of dir.
func LoadKeys(dir string) (*Keyring, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("keys directory %s: %w", dir, err)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%w in %s: run `ropeline keys init %s` once and share the directory with every edge of the room", ErrNoKeys, dir, dir)
	}
	if len(names) > maxKeys {
		return nil, fmt.Errorf("keys directory %s: %d keys, at most %d: remove retired ones", dir, len(names), maxKeys)
	}
	keys := make([]*Key, 0, len(names))
	for _, name := range names {
		k, err := readKey(name)
		if err != nil {
			return nil, fmt.Errorf("key file %s: %w", name, err)
		}
		keys = append(keys, k)
	}
	r, err := NewKeyring(keys...)
	if err != nil {
		return nil, fmt.Errorf("keys directory %s: %w: make a full set with `ropeline keys init <empty dir>`", dir, err)
	}
	return r, nil
}

func readKey(name string) (*Key, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var f keyFile
	if err := strictJSON(b, &f); err != nil {
		return nil, err
	}
	secret, err := decode64(f.Key)
	switch {
	case err != nil || len(secret) != keyBytes:
		return nil, fmt.Errorf("key: want %d bytes of base64url without padding", keyBytes)
	case f.Kid+".json" != filepath.Base(name):
		return nil, fmt.Errorf("kid %q does not match the file's name: rename one of them", f.Kid)
	case f.Use != UseTicket && f.Use != UsePass && f.Use != UseDraw:
		return nil, fmt.Errorf("use %q: want ticket, pass or draw", f.Use)
	case f.Alg != AlgHS256 && (f.Alg != AlgEdDSA || f.Use != UsePass):
		return nil, fmt.Errorf("alg %q: want HS256, or EdDSA for a pass key", f.Alg)
	}
	k := &Key{Kid: f.Kid, Use: f.Use, Alg: f.Alg, NotBefore: f.NotBefore, Recalled: f.Recalled}
	if f.RetireAt != nil {
		k.RetireAt = *f.RetireAt
	}
	k.setSecret(secret)
	return k, nil
}

// CreateKeys makes a full set in dir, which must hold no key yet: overwriting one would end every ticket and pass
// that it signed. The directory appears whole or not at all.
func CreateKeys(dir string, now time.Time) error {
	if have, _ := filepath.Glob(filepath.Join(dir, "*.json")); len(have) > 0 {
		return fmt.Errorf("%s already holds %s: keys are never overwritten", dir, filepath.Base(have[0]))
	}
	dir = filepath.Clean(dir)
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return fmt.Errorf("keys directory: %w", err)
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+"-")
	if err != nil {
		return fmt.Errorf("keys directory: %w", err)
	}
	defer os.RemoveAll(tmp)
	now = now.UTC().Truncate(time.Second)
	for _, k := range []*Key{NewKey(UseTicket, AlgHS256, now), NewKey(UsePass, AlgEdDSA, now), NewKey(UseDraw, AlgHS256, now)} {
		if err := writeKey(tmp, k); err != nil {
			return fmt.Errorf("key file: %w", err)
		}
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("keys directory %s: %w: name an empty or new one", dir, err)
	}
	return os.Rename(tmp, dir)
}

func writeKey(dir string, k *Key) error {
	secret := k.secret
	if k.Alg == AlgEdDSA {
		secret = k.priv.Seed()
	}
	file := keyFile{Kid: k.Kid, Use: k.Use, Alg: k.Alg, NotBefore: k.NotBefore, Recalled: k.Recalled, Key: strict64.EncodeToString(secret)}
	if !k.RetireAt.IsZero() {
		file.RetireAt = &k.RetireAt
	}
	b, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return err
	}
	name := filepath.Join(dir, strings.ReplaceAll(k.Kid, "/", "_")+".json")
	return replaceFile(name, append(b, '\n'), 0o600)
}

// LoadOrCreateKeys is for a store that lives in this process: there is no other edge that could hold the keys.
func LoadOrCreateKeys(dir string, now time.Time) (*Keyring, error) {
	r, err := LoadKeys(dir)
	if !errors.Is(err, ErrNoKeys) {
		return r, err
	}
	if err := CreateKeys(dir, now); err != nil {
		return nil, err
	}
	return LoadKeys(dir)
}
