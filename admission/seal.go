package admission

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"strings"
	"time"
)

// Seal encrypts what a visitor carries for us, with a key derived from the ticket key in force (AES-256-GCM). bound is
// what it belongs to, and has to be said again to open it. The text is <kid>.<base64url>.
func (r *Keyring) Seal(plain []byte, bound string, now time.Time) (string, error) {
	k, err := r.signer(UseTicket, now)
	if err != nil {
		return "", err
	}
	a, err := k.aead()
	if err != nil {
		return "", err
	}
	nonce := make([]byte, a.NonceSize())
	_, _ = rand.Read(nonce)
	return k.Kid + "." + strict64.EncodeToString(a.Seal(nonce, nonce, plain, []byte(bound))), nil
}

// Unseal opens what Seal made, if its key is still good and it is bound to the same thing.
func (r *Keyring) Unseal(text, bound string, now time.Time) ([]byte, error) {
	kid, body, _ := strings.Cut(text, ".")
	k, err := r.find(UseTicket, kid, now)
	if err != nil {
		return nil, err
	}
	b, err := decode64(body)
	if err != nil {
		return nil, invalid(ReasonMalformed, "not strict base64url")
	}
	a, err := k.aead()
	if err != nil {
		return nil, err
	}
	if len(b) < a.NonceSize() {
		return nil, invalid(ReasonMalformed, "too short")
	}
	plain, err := a.Open(nil, b[:a.NonceSize()], b[a.NonceSize():], []byte(bound))
	if err != nil {
		return nil, invalid(ReasonSignature, "key %s", k.Kid)
	}
	return plain, nil
}

// aead keeps the derived key apart from the one that signs tickets.
func (k *Key) aead() (cipher.AEAD, error) {
	m := hmac.New(sha256.New, k.secret)
	m.Write([]byte("ropeline sealed value 1"))
	block, err := aes.NewCipher(m.Sum(nil))
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}
