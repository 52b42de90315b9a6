package admission

import (
	"strconv"
	"strings"
)

// plain reads a JSON object in the one form in which encoding/json writes ours: members in order, no spaces, no escapes.
// Nearly every token that comes back is in it, and reading it so costs a tenth of the general way, on the path of each
// heartbeat and each request of somebody inside. Whatever it does not recognise is left to strictJSON, so it can only ever
// say yes to what strictJSON would read alike.
type plain struct {
	rest   string
	first  bool
	failed bool
}

func newPlain(b []byte) *plain {
	p := &plain{rest: string(b), first: true}
	p.skip("{")
	return p
}

func (p *plain) skip(s string) {
	rest, ok := strings.CutPrefix(p.rest, s)
	p.rest, p.failed = rest, p.failed || !ok
}

// member begins one.
func (p *plain) member(name string) {
	if !p.first {
		p.skip(",")
	}
	p.first = false
	p.skip(`"`)
	p.skip(name)
	p.skip(`":`)
}

// has says whether a member comes next; for those that may be missing.
func (p *plain) has(name string) bool {
	return !p.first && strings.HasPrefix(p.rest, `,"`+name+`":`)
}

func (p *plain) text(name string) string {
	p.member(name)
	p.skip(`"`)
	for i := range len(p.rest) {
		switch c := p.rest[i]; {
		case c == '"':
			v := p.rest[:i]
			p.rest = p.rest[i+1:]
			return v
		case c < ' ' || c == '\\' || c > '~':
			p.failed = true
			return ""
		}
	}
	p.failed = true
	return ""
}

func (p *plain) number(name string) int64 {
	p.member(name)
	end := strings.IndexAny(p.rest, ",}")
	if end < 0 {
		p.failed = true
		return 0
	}
	word := p.rest[:end]
	v, err := strconv.ParseInt(word, 10, 64)
	if err != nil || strconv.FormatInt(v, 10) != word { // +1, 01 and -0 are no numbers of ours
		p.failed = true
	}
	p.rest = p.rest[end:]
	return v
}

// done says whether that was all, and well read.
func (p *plain) done() bool {
	p.skip("}")
	return !p.failed && p.rest == ""
}

// plainReader is a claims struct that knows its own form. A false leaves it empty.
type plainReader interface{ readPlain(b []byte) bool }

func (h *header) readPlain(b []byte) bool {
	p := newPlain(b)
	v := header{Alg: p.text("alg"), Kid: p.text("kid"), Typ: p.text("typ")}
	return keepIf(p, h, v)
}

func (c *ticketClaims) readPlain(b []byte) bool {
	p := newPlain(b)
	v := ticketClaims{Iss: p.text("iss"), Aud: p.text("aud"), Sub: p.text("sub"), Kind: p.text("kind"), Epoch: p.number("ep"), Index: p.number("ix")}
	if p.has("idh") {
		v.IDH = p.text("idh")
	}
	v.Iat = p.number("iat")
	for _, m := range []struct {
		name string
		to   **int64
	}{{"pl", &v.Place}, {"n", &v.N}} {
		if p.has(m.name) {
			n := p.number(m.name)
			*m.to = &n
		}
	}
	return keepIf(p, c, v)
}

func (c *passClaims) readPlain(b []byte) bool {
	p := newPlain(b)
	v := passClaims{Iss: p.text("iss"), Aud: p.text("aud"), Sub: p.text("sub"), Epoch: p.number("ep"), Term: p.number("tm"), Place: p.number("pl"),
		Iat: p.number("iat"), Nbf: p.number("nbf"), Exp: p.number("exp"), Hard: p.number("hard")}
	return keepIf(p, c, v)
}

func keepIf[T any](p *plain, to *T, v T) bool {
	ok := p.done()
	if ok {
		*to = v
	}
	return ok
}
