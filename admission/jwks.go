package admission

import (
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"time"
)

// jwk is a public pass key in the form of RFC 8037.
type jwk struct {
	Kty string `json:"kty"`
	Crv string `json:"crv"`
	Kid string `json:"kid"`
	Use string `json:"use"`
	Alg string `json:"alg"`
	X   string `json:"x"`
}

type jwkSet struct {
	Keys []jwk `json:"keys"`
}

// JWKS lists the pass keys an origin may accept, those not yet in force among them, so that a new key is known
// everywhere before it signs. HS256 keys are never in it.
func (r *Keyring) JWKS(now time.Time) []byte {
	set := jwkSet{Keys: []jwk{}}
	for _, k := range r.order {
		if k.Use == UsePass && k.Alg == AlgEdDSA && k.usable(now) == nil {
			set.Keys = append(set.Keys, jwk{Kty: "OKP", Crv: "Ed25519", Kid: k.Kid, Use: "sig", Alg: AlgEdDSA, X: strict64.EncodeToString(k.pub)})
		}
	}
	b, _ := json.Marshal(set) // strings only: cannot fail
	return append(b, '\n')
}

// parseJWKS keeps the Ed25519 signing keys of a set. Others are passed over (RFC 7517, 5), yet a set without any
// usable key is an error: it is not the document that was meant.
func parseJWKS(b []byte) (map[string]*Key, error) {
	var set jwkSet
	if err := json.Unmarshal(b, &set); err != nil {
		return nil, fmt.Errorf("not a key set: %w", err)
	}
	keys := make(map[string]*Key)
	for _, j := range set.Keys {
		x, err := decode64(j.X)
		if j.Kty != "OKP" || j.Crv != "Ed25519" || j.Kid == "" || err != nil || len(x) != ed25519.PublicKeySize {
			continue
		}
		keys[j.Kid] = &Key{Kid: j.Kid, Use: UsePass, Alg: AlgEdDSA, pub: ed25519.PublicKey(x)}
		if len(keys) == maxKeys {
			break
		}
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("no Ed25519 key in the set")
	}
	return keys, nil
}
