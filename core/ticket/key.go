package ticket

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Signer holds the key that signs new tickets.
type Signer struct {
	key ed25519.PrivateKey
	id  [keyIDSize]byte
}

// NewSigner uses a key as it is.
func NewSigner(key ed25519.PrivateKey) *Signer {
	return &Signer{key: key, id: keyID(key.Public().(ed25519.PublicKey))}
}

func keyID(pub ed25519.PublicKey) (id [keyIDSize]byte) {
	sum := sha256.Sum256(pub)
	copy(id[:], sum[:])
	return id
}

const pemType = "PRIVATE KEY"

// LoadSigner reads the key file (PKCS #8, PEM). With create a missing file is
// made, which only a development set-up wants: a second key made by accident
// would sign tickets that the doors do not know.
func LoadSigner(file string, create bool) (*Signer, error) {
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && create {
		b, err = createKey(file)
	}
	if err != nil {
		return nil, fmt.Errorf("ticket key: %w", err)
	}
	block, _ := pem.Decode(b)
	if block == nil || block.Type != pemType {
		return nil, fmt.Errorf("ticket key %s: want a PEM block %q, as made by `openssl genpkey -algorithm ed25519`", file, pemType)
	}
	k, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("ticket key %s: %w", file, err)
	}
	key, ok := k.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("ticket key %s: a %T, want an Ed25519 key", file, k)
	}
	return NewSigner(key), nil
}

// createKey writes a new key. Of several processes starting together one wins
// the link, and all read what it wrote.
func createKey(file string) ([]byte, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), ".ticket-key-*") // mode 0600
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

// Public is the key that verifies what this signer signs.
func (s *Signer) Public() ed25519.PublicKey { return s.key.Public().(ed25519.PublicKey) }

// JWKS is the published key set (RFC 8037). kid is the key id inside the codes, hex.
func (s *Signer) JWKS() []byte {
	type jwk struct {
		Kty string `json:"kty"`
		Crv string `json:"crv"`
		Kid string `json:"kid"`
		Use string `json:"use"`
		Alg string `json:"alg"`
		X   string `json:"x"`
	}
	b, _ := json.Marshal(map[string][]jwk{"keys": {{
		Kty: "OKP", Crv: "Ed25519", Kid: hex.EncodeToString(s.id[:]), Use: "sig", Alg: "EdDSA",
		X: base64.RawURLEncoding.EncodeToString(s.Public()),
	}}})
	return b
}
