package admission

import "time"

const (
	// PassLife is the longest life of one pass; it is renewed while in use.
	PassLife = 5 * time.Minute

	passTyp = "ropeline-pass+jwt"
)

// Pass is the right to be inside. It says who, by which place, and until when.
type Pass struct {
	Room      string
	VID       VID
	Epoch     int64
	Term      int64 // raised by a recall: passes of an older term are refused by the edges at once
	Place     int64
	IssuedAt  time.Time
	NotBefore time.Time // the entry time
	Expires   time.Time // at most IssuedAt + PassLife
	Hard      time.Time // the session's hard end: no renewal reaches beyond
}

type passClaims struct {
	Iss   string `json:"iss"`
	Aud   string `json:"aud"`
	Sub   string `json:"sub"`
	Epoch int64  `json:"ep"`
	Term  int64  `json:"tm"`
	Place int64  `json:"pl"`
	Iat   int64  `json:"iat"`
	Nbf   int64  `json:"nbf"`
	Exp   int64  `json:"exp"`
	Hard  int64  `json:"hard"`
}

// SignPass signs with the newest pass key in force at p.IssuedAt. Times lose their fraction: the entry time is
// rounded up and the ends down, so that a pass never says more than was granted.
func (r *Keyring) SignPass(p Pass) (string, error) {
	raw, _, _, err := r.signPass(p)
	return raw, err
}

// signPass returns with the token what it says and the key that says it.
func (r *Keyring) signPass(p Pass) (raw string, c passClaims, kid string, err error) {
	k, err := r.signer(UsePass, p.IssuedAt)
	if err != nil {
		return "", c, "", err
	}
	nbf := p.NotBefore.Unix()
	if p.NotBefore.Nanosecond() > 0 {
		nbf++
	}
	c = passClaims{Iss: issuer, Aud: p.Room, Sub: string(p.VID), Epoch: p.Epoch, Term: p.Term,
		Place: p.Place, Iat: p.IssuedAt.Unix(), Nbf: nbf, Exp: p.Expires.Unix(), Hard: p.Hard.Unix()}
	raw, err = sign(k, passTyp, c)
	return raw, c, k.Kid, err
}

// VerifyPass checks a pass for one room without a cache; see [Checker] for the hot path.
func (r *Keyring) VerifyPass(raw, room string, now time.Time) (Pass, error) {
	p, err := openPass(raw, room, func(kid string) (*Key, error) { return r.find(UsePass, kid, now) })
	if err != nil {
		return Pass{}, err
	}
	return p, p.current(now)
}

// openPass checks everything that never changes: form, key, signature, claims.
func openPass(raw, room string, find findKey) (Pass, error) {
	var c passClaims
	if err := open(raw, passTyp, find, &c); err != nil {
		return Pass{}, err
	}
	if c.Iss != issuer || c.Aud != room {
		return Pass{}, invalid(ReasonRoom, "issued by %q for %q", clip(c.Iss), clip(c.Aud))
	}
	return c.pass(room)
}

// pass checks the claims' ranges.
func (c passClaims) pass(room string) (Pass, error) {
	vid, err := ParseVID(c.Sub)
	if err != nil || c.Epoch < 0 || c.Term < 0 || c.Place < 0 || c.Exp > c.Hard || c.Exp-c.Iat > int64(PassLife/time.Second)+1 {
		return Pass{}, invalid(ReasonClaims, "a claim is out of its range")
	}
	return Pass{Room: room, VID: vid, Epoch: c.Epoch, Term: c.Term, Place: c.Place, IssuedAt: time.Unix(c.Iat, 0),
		NotBefore: time.Unix(c.Nbf, 0), Expires: time.Unix(c.Exp, 0), Hard: time.Unix(c.Hard, 0)}, nil
}

// current checks what the clock decides; it runs on every use.
func (p Pass) current(now time.Time) error {
	switch {
	case p.IssuedAt.After(now.Add(Leeway)) || p.NotBefore.After(now.Add(Leeway)):
		return invalid(ReasonEarly, "valid in %s", p.NotBefore.Sub(now).Round(time.Second))
	case now.After(p.Expires.Add(Leeway)) || now.After(p.Hard.Add(Leeway)):
		return invalid(ReasonExpired, "ended %s ago", now.Sub(p.Expires).Round(time.Second))
	}
	return nil
}
