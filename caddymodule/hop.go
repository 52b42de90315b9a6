package caddymodule

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/ropeline/ropeline/caddymodule/wire"
)

// stripConnection takes our names out of Connection: what stands there a proxy removes, and a visitor could so take away
// the pass that we set, or have another proxy's copy of it stand.
func stripConnection(h http.Header) {
	keepConnection(h, func(name string) bool { return !wire.Ours(name) })
}

func keepConnection(h http.Header, keep func(name string) bool) {
	lines := h["Connection"]
	kept := make([]string, 0, len(lines))
	for _, line := range lines {
		var names []string
		for name := range strings.SplitSeq(line, ",") {
			if name = strings.TrimSpace(name); name != "" && keep(name) {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			kept = append(kept, strings.Join(names, ", "))
		}
	}
	if len(kept) > 0 {
		h["Connection"] = kept
	} else if lines != nil {
		delete(h, "Connection")
	}
}

// dropH2C takes an upgrade to clear-text HTTP/2 out of a request: an origin that agreed would speak with the visitor past
// every handler, and no request in there would be looked at.
func dropH2C(h http.Header) {
	if !strings.Contains(strings.ToLower(strings.Join(h["Upgrade"], ",")), "h2c") && h["Http2-Settings"] == nil {
		return
	}
	delete(h, "Upgrade")
	delete(h, "Http2-Settings")
	keepConnection(h, func(name string) bool {
		return !strings.EqualFold(name, "upgrade") && !strings.EqualFold(name, "http2-settings")
	})
}

// cleanBody takes our names out of the trailers too. The server reads them behind the body, after the headers have been
// cleaned, and puts them into the request just before it says that the body is at its end.
type cleanBody struct {
	io.ReadCloser
	r *http.Request
}

func (b cleanBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		wire.StripHeaders(b.r.Trailer)
	}
	return n, err
}

// cleanTrailers cleans those that are there and those to come. A body of known length has none.
func cleanTrailers(r *http.Request) {
	wire.StripHeaders(r.Trailer)
	if r.Body != nil && r.Body != http.NoBody && (r.Trailer != nil || r.ContentLength < 0) {
		r.Body = cleanBody{r.Body, r}
	}
}

// cleanTrailers does the same to what the origin sends behind its answer: the proxy puts it beside the headers, with a
// prefix if it was not announced.
func (g *guarded) cleanTrailers() {
	if g.passage != nil && g.passage.answered {
		return
	}
	h := g.Header()
	wire.StripHeaders(h)
	for name := range h {
		if rest, ok := strings.CutPrefix(name, http.TrailerPrefix); ok && (wire.Ours(rest) || strings.EqualFold(rest, "Set-Cookie")) {
			delete(h, name)
		}
	}
}
