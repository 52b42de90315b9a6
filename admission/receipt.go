package admission

import (
	"encoding/hex"
	"time"
)

const (
	receiptTyp = "ropeline-receipt+jwt"
	maxReceipt = 4096 // it carries the entropy source, a sentence of up to 1000 bytes
)

// Receipt is what a participant keeps to hold a draw against: who stood at which index under which promise. It is
// signed like a pass, so that anyone can check it with the published keys; a ticket proves nothing to others.
type Receipt struct {
	Room     string
	Epoch    int64
	Index    int64
	Leaf     [32]byte // SHA-256 of the visitor's id, as in the list of participants
	Commit   [32]byte // SHA-256 of the draw's secret
	Source   string   // entropy_source: "none", or the sentence
	IssuedAt time.Time
}

type receiptClaims struct {
	Iss    string `json:"iss"`
	Room   string `json:"room"`
	Epoch  int64  `json:"ep"`
	Index  int64  `json:"ix"`
	Leaf   string `json:"leaf"`
	Commit string `json:"commit"`
	Source string `json:"entropy_source"`
	Iat    int64  `json:"iat"`
}

// SignReceipt signs with the pass key in force: EdDSA, or there is no receipt.
func (r *Keyring) SignReceipt(rc Receipt) (string, error) {
	k, err := r.signer(UsePass, rc.IssuedAt)
	if err != nil {
		return "", err
	}
	if k.Alg != AlgEdDSA {
		return "", invalid(ReasonAlg, "receipts need an EdDSA pass key; key %s is %s", k.Kid, k.Alg)
	}
	return sign(k, receiptTyp, receiptClaims{Iss: issuer, Room: rc.Room, Epoch: rc.Epoch, Index: rc.Index, Leaf: hex.EncodeToString(rc.Leaf[:]),
		Commit: hex.EncodeToString(rc.Commit[:]), Source: rc.Source, Iat: rc.IssuedAt.Unix()})
}

// VerifyReceipt checks a receipt with a key set as the edges publish it. A receipt has no end; when its key has been
// retired since, the reason is "key".
func VerifyReceipt(raw string, jwks []byte) (Receipt, error) {
	keys, err := parseJWKS(jwks)
	if err != nil {
		return Receipt{}, &Invalid{Reason: ReasonUnavailable, Detail: "the key set", Err: err}
	}
	var c receiptClaims
	err = open(raw, receiptTyp, func(kid string) (*Key, error) {
		if k := keys[kid]; k != nil {
			return k, nil
		}
		return nil, invalid(ReasonKey, "no key %q in the set", clip(kid))
	}, &c)
	if err != nil {
		return Receipt{}, err
	}
	rc := Receipt{Room: c.Room, Epoch: c.Epoch, Index: c.Index, Source: c.Source, IssuedAt: time.Unix(c.Iat, 0)}
	leaf, err1 := hex.DecodeString(c.Leaf)
	commit, err2 := hex.DecodeString(c.Commit)
	if err1 != nil || err2 != nil || copy(rc.Leaf[:], leaf) != 32 || copy(rc.Commit[:], commit) != 32 || c.Index < 0 || c.Iss != issuer {
		return Receipt{}, invalid(ReasonClaims, "a claim is out of its range")
	}
	return rc, nil
}
