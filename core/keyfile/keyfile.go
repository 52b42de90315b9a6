// Package keyfile keeps an Ed25519 key in a file and publishes its public half. The
// keys that sign tickets and account tokens are kept the same way.
package keyfile

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const pemType = "PRIVATE KEY"

// Load reads a key (PKCS #8, PEM). With create a missing file is made, which only a
// development set-up wants: a second key made by accident would sign what nobody who
// has the first one accepts. Errors name the file; the caller says which key it is.
func Load(file string, create bool) (ed25519.PrivateKey, error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && create {
		b, err = generate(file)
	}
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(b)
	if block == nil || block.Type != pemType {
		return nil, fmt.Errorf("%s: want a PEM block %q, as made by `openssl genpkey -algorithm ed25519`", file, pemType)
	}
	k, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	key, ok := k.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("%s: a %T, want an Ed25519 key", file, k)
	}
	return key, nil
}

// generate writes a new key. Of several processes that start together one wins the link,
// and all of them read what it wrote.
func generate(file string) ([]byte, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), ".key-*") // mode 0600
	if err != nil {
		return nil, err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(pem.EncodeToMemory(&pem.Block{Type: pemType, Bytes: der}))
	if err := errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return nil, err
	}
	if err := os.Link(tmp.Name(), file); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return os.ReadFile(file)
}

// JWKS is the key set with one public key (RFC 8037).
func JWKS(kid string, key ed25519.PublicKey) []byte {
	type jwk struct {
		Kty string `json:"kty"`
		Crv string `json:"crv"`
		Kid string `json:"kid"`
		Use string `json:"use"`
		Alg string `json:"alg"`
		X   string `json:"x"`
	}
	b, _ := json.Marshal(map[string][]jwk{"keys": {{
		Kty: "OKP", Crv: "Ed25519", Kid: kid, Use: "sig", Alg: "EdDSA", X: base64.RawURLEncoding.EncodeToString(key),
	}}})
	return b
}
