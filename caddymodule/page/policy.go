package page

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// policy is a Content-Security-Policy. Inline parts never change, so their hashes do for all visitors; a nonce would
// have to differ each time and would make the answer no safer.
type policy struct {
	scripts, styles []string // inline parts
	hosts           []string // of a CAPTCHA
	worker, connect bool
	framed          bool // may stand inside other pages: it has nothing to press but a way out
}

func (p policy) String() string {
	list := func(hashes []string) string {
		var out []string
		for _, s := range hashes {
			out = append(out, "'"+hashOf(s)+"'")
		}
		if out = append(out, p.hosts...); len(out) == 0 {
			return "'none'"
		}
		return strings.Join(out, " ")
	}
	parts := []string{"default-src 'none'", "script-src " + list(p.scripts), "style-src " + list(p.styles), "img-src data:", "font-src data:",
		"form-action 'self'", "base-uri 'none'"}
	if p.connect {
		parts = append(parts, strings.Join(append([]string{"connect-src 'self'"}, p.hosts...), " "))
	}
	if p.worker {
		parts = append(parts, "worker-src blob:")
	}
	if len(p.hosts) > 0 {
		parts = append(parts, "frame-src "+strings.Join(p.hosts, " "))
	}
	if !p.framed {
		parts = append(parts, "frame-ancestors 'none'")
	}
	return strings.Join(parts, "; ")
}

func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
