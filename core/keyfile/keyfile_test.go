package keyfile

import (
	"crypto/ed25519"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestKeyFileIsMadeOnceAndKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key.pem")
	if _, err := Load(file, false); err == nil {
		t.Fatal("a missing key was made without being asked for")
	}
	keys := make([]ed25519.PrivateKey, 8)
	var wg sync.WaitGroup
	for n := range keys {
		wg.Go(func() {
			k, err := Load(file, true)
			if err != nil {
				t.Error(err)
			}
			keys[n] = k
		})
	}
	wg.Wait()
	for _, k := range keys {
		if k == nil || !k.Equal(keys[0]) {
			t.Fatal("processes that start together have different keys")
		}
	}
	if s, err := os.Stat(file); err != nil || s.Mode().Perm() != 0o600 {
		t.Errorf("mode %v (%v), want 0600", s.Mode(), err)
	}
	if err := os.WriteFile(file, []byte("not a key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(file, true); err == nil {
		t.Error("a broken key file was accepted or replaced")
	}
}
