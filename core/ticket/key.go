package ticket

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/ropeline/ropeline/core/keyfile"
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

// LoadSigner reads the key file. With create a missing file is made.
func LoadSigner(file string, create bool) (*Signer, error) {
	key, err := keyfile.Load(file, create)
	if err != nil {
		return nil, fmt.Errorf("ticket key: %w", err)
	}
	return NewSigner(key), nil
}

// Public is the key that verifies what this signer signs.
func (s *Signer) Public() ed25519.PublicKey { return s.key.Public().(ed25519.PublicKey) }

// JWKS is the published key set. kid is the key id inside the codes, hex.
func (s *Signer) JWKS() []byte { return keyfile.JWKS(hex.EncodeToString(s.id[:]), s.Public()) }
