package caddymodule

import (
	"errors"
	"io"
	"net/http"
	"strings"
)

// stripConnection takes our names out of Connection: what stands there a proxy removes, and a visitor could so take away
// the pass that we set, or have another proxy's copy of it stand.
func stripConnection(h http.Header) {
	lines := h["Connection"]
	kept := make([]string, 0, len(lines))
	for _, line := range lines {
		var names []string
		for name := range strings.SplitSeq(line, ",") {
			if name = strings.TrimSpace(name); name != "" && !ours(name) {
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

// cleanBody takes our names out of the trailers too. The server reads them behind the body, after the headers have been
// cleaned, and puts them into the request just before it says that the body is at its end.
type cleanBody struct {
	io.ReadCloser
	r *http.Request
}

func (b cleanBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		stripHeaders(b.r.Trailer)
	}
	return n, err
}

// cleanTrailers cleans those that are there and those to come. A body of known length has none.
func cleanTrailers(r *http.Request) {
	stripHeaders(r.Trailer)
	if r.Body != nil && r.Body != http.NoBody && (r.Trailer != nil || r.ContentLength < 0) {
		r.Body = cleanBody{r.Body, r}
	}
}

// cleanTrailers does the same to what the origin sends behind its answer: the proxy puts it beside the headers, with a
// prefix if it was not announced.
func (g *guarded) cleanTrailers() {
	h := g.Header()
	stripHeaders(h)
	for name := range h {
		if rest, ok := strings.CutPrefix(name, http.TrailerPrefix); ok && (ours(rest) || strings.EqualFold(rest, "Set-Cookie")) {
			delete(h, name)
		}
	}
}
