package admission

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

const (
	// OriginSecretHeader is how an edge shows an origin that it is one. The edge takes it out of what visitors send.
	OriginSecretHeader = "Ropeline-Origin-Secret"

	minOriginSecret  = 16
	maxOriginSecret  = 256
	maxOriginSecrets = 2 // the old and the new one while they are changed
)

// OriginLock closes an origin to whoever does not come through an edge: it lets through the requests that bring one of
// at most two shared secrets. A pass alone keeps strangers from buying; the lock also keeps them from everything that
// needs no pass.
type OriginLock struct{ sums [][sha256.Size]byte }

// NewOriginLock takes one secret, or two while they are being changed.
func NewOriginLock(secrets ...string) (*OriginLock, error) {
	if len(secrets) == 0 || len(secrets) > maxOriginSecrets {
		return nil, fmt.Errorf("origin lock: %d secrets: give one, or the old and the new one while they are changed", len(secrets))
	}
	l := new(OriginLock)
	for _, s := range secrets {
		if err := CheckOriginSecret(s); err != nil {
			return nil, fmt.Errorf("origin lock: %w", err)
		}
		l.sums = append(l.sums, sha256.Sum256([]byte(s)))
	}
	return l, nil
}

// CheckOriginSecret says whether a text can be a secret: it has to fit into a header, and be hard to guess.
func CheckOriginSecret(s string) error {
	if len(s) < minOriginSecret || len(s) > maxOriginSecret || strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return errors.New("a secret has 16 to 256 visible ASCII characters: make one with `openssl rand -hex 32`")
	}
	return nil
}

// Opens says whether a request comes from an edge. All secrets are compared, by their hashes, in constant time.
func (l *OriginLock) Opens(r *http.Request) bool {
	given := r.Header[OriginSecretHeader]
	if len(given) != 1 {
		return false
	}
	sum, ok := sha256.Sum256([]byte(given[0])), 0
	for i := range l.sums {
		ok |= subtle.ConstantTimeCompare(sum[:], l.sums[i][:])
	}
	return ok == 1
}
