package admission

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

const (
	// maxToken bounds what is parsed at all; ours have about 350 characters.
	maxToken = 1024
	// Leeway is how far two clocks may differ before a time claim counts against a visitor.
	Leeway = 5 * time.Second
	// issuer is the iss of both kinds of token.
	issuer = "ropeline"
)

// Algorithms a key may have.
const (
	AlgEdDSA = "EdDSA"
	AlgHS256 = "HS256"
)

// header is all that a token of ours has. Anything else (jku, jwk, x5c, crit ...) is somebody asking us to trust
// a key or a rule of theirs, so unknown members are refused instead of ignored.
type header struct {
	Alg string `json:"alg"`
	Kid string `json:"kid"`
	Typ string `json:"typ"`
}

// sign builds the token by golang-jwt; claims is one of our claim structs.
func sign(k *Key, typ string, claims any) (string, error) {
	method := jwt.GetSigningMethod(k.Alg)
	t := jwt.NewWithClaims(method, jwt.MapClaims{})
	t.Header = map[string]any{"alg": k.Alg, "kid": k.Kid, "typ": typ}
	h, err := json.Marshal(header{k.Alg, k.Kid, typ})
	if err != nil {
		return "", err
	}
	c, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	text := strict64.EncodeToString(h) + "." + strict64.EncodeToString(c)
	sig, err := method.Sign(text, k.signing())
	if err != nil {
		return "", err
	}
	return text + "." + strict64.EncodeToString(sig), nil
}

// findKey returns the key a header names, or an *Invalid.
type findKey func(kid string) (*Key, error)

// open checks form, header, key and signature, in this order, and decodes the claims into out. The algorithm is the
// key's, never the token's: a header that disagrees is refused before any key is used (RFC 8725, 3.1).
func open(raw, typ string, find findKey, out any) error {
	longest := maxToken
	if typ == receiptTyp {
		longest = maxReceipt
	}
	if len(raw) > longest {
		return invalid(ReasonMalformed, "longer than %d bytes", longest)
	}
	if n := strings.Count(raw, ".") + 1; n != 3 {
		return invalid(ReasonMalformed, "%d parts instead of 3", n)
	}
	point := strings.LastIndexByte(raw, '.')
	signed, last := raw[:point], raw[point+1:]
	head, body, _ := strings.Cut(signed, ".")
	parts := [3]string{head, body, last}
	var dec [3][]byte
	for i, p := range parts {
		b, err := decode64(p)
		if err != nil {
			return invalid(ReasonMalformed, "part %d is not strict base64url", i+1)
		}
		dec[i] = b
	}
	var h header
	if err := strictJSON(dec[0], &h); err != nil {
		return invalid(ReasonHeader, "%v", err)
	}
	if h.Typ != typ {
		return invalid(ReasonType, "typ %q instead of %q", clip(h.Typ), typ)
	}
	if h.Alg != AlgEdDSA && h.Alg != AlgHS256 {
		return invalid(ReasonAlg, "alg %q", clip(h.Alg))
	}
	k, err := find(h.Kid)
	if err != nil {
		return err
	}
	if k.Alg != h.Alg {
		return invalid(ReasonAlg, "alg %q with a key for %q", clip(h.Alg), k.Alg)
	}
	if err := jwt.GetSigningMethod(k.Alg).Verify(signed, dec[2], k.verifying()); err != nil {
		return invalid(ReasonSignature, "key %s", k.Kid)
	}
	if err := strictJSON(dec[1], out); err != nil {
		return invalid(ReasonClaims, "%v", err)
	}
	return nil
}

// strictJSON takes exactly one object with known members.
func strictJSON(b []byte, out any) error {
	if r, ok := out.(plainReader); ok && r.readPlain(b) {
		return nil
	}
	return decodeJSON(b, out)
}

func decodeJSON(b []byte, out any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(out); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the object")
	}
	return nil
}
