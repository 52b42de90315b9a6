package readpath

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

const (
	binaryType = "application/vnd.ropeline.seatmap"
	jsonType   = "application/json"

	// smallest is the size below which compression is not worth a header.
	smallest = 200
)

// coding is a content coding that we compress to, in the order of our preference
// among those that a client likes equally. The levels are those at which another
// second of effort no longer saves one byte in a hundred of a two-bit map.
type coding struct {
	name string
	to   func(w io.Writer) (io.WriteCloser, error)
}

var codings = [...]coding{
	{"zstd", func(w io.Writer) (io.WriteCloser, error) {
		return zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(1))
	}},
	{"br", func(w io.Writer) (io.WriteCloser, error) { return brotli.NewWriterLevel(w, 5), nil }},
	{"gzip", func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriterLevel(w, 6) }},
}

// Body is the bytes of an answer that many people get, and their compressed forms,
// each made when first asked for and then shared.
type Body struct {
	contentType string
	raw         []byte
	tag         string // names the content; each coding adds its name
	length      string
	packed      [len(codings)]packed
}

type packed struct {
	once   sync.Once
	bytes  []byte
	length string
	err    error
}

// NewBody makes the body whose content the tag names.
func NewBody(contentType string, raw []byte, tag string) *Body {
	return &Body{contentType: contentType, raw: raw, length: strconv.Itoa(len(raw)), tag: tag}
}

// newBody names the content by SHA-256. A frame ends with its own CRC, so that a CRC over
// the whole is the same number for every frame, and a cache that asks with it would be told
// for ever that its map is the newest.
func newBody(contentType string, raw []byte) *Body {
	sum := sha256.Sum256(raw)
	return NewBody(contentType, raw, hex.EncodeToString(sum[:8]))
}

func (b *Body) in(i int) *packed {
	p := &b.packed[i]
	p.once.Do(func() {
		var buf bytes.Buffer
		w, err := codings[i].to(&buf)
		if err == nil {
			_, err = w.Write(b.raw)
		}
		if err == nil {
			err = w.Close()
		}
		p.bytes, p.length, p.err = buf.Bytes(), strconv.Itoa(buf.Len()), err
	})
	return p
}

// Serve answers GET and HEAD; what a cache may do with it is in the header already.
// The forms of a body have tags of their own: they are different bytes (RFC 9110
// 8.8.3).
func (b *Body) Serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h["Vary"] = varyEncoding
	bytes, length, suffix := b.raw, b.length, ""
	if len(b.raw) >= smallest {
		if i := negotiate(r.Header["Accept-Encoding"]); i >= 0 {
			if p := b.in(i); p.err == nil && len(p.bytes) < len(b.raw) {
				bytes, length, suffix = p.bytes, p.length, "-"+codings[i].name
				h["Content-Encoding"] = []string{codings[i].name}
			}
		}
	}
	h["Etag"] = []string{`"` + b.tag + suffix + `"`}
	if matches(r.Header["If-None-Match"], b.tag) {
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h["Content-Type"] = []string{b.contentType}
	h["Content-Length"] = []string{length}
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(bytes)
	}
}

var varyEncoding = []string{"Accept-Encoding"}

// negotiate picks the coding a client likes best, or -1 for none (RFC 9110 12.5.3).
func negotiate(headers []string) int {
	best, weight := -1, 0.0
	for _, header := range headers {
		for part := range strings.SplitSeq(header, ",") {
			name, params, _ := strings.Cut(strings.TrimSpace(part), ";")
			q := 1.0
			if value, ok := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q="); ok {
				q, _ = strconv.ParseFloat(value, 64)
			}
			for i, c := range codings {
				if strings.EqualFold(strings.TrimSpace(name), c.name) && (q > weight || q == weight && q > 0 && i < best) {
					best, weight = i, q
				}
			}
		}
	}
	return best
}

// matches is the weak comparison: any form of the same content counts.
func matches(headers []string, tag string) bool {
	for _, header := range headers {
		for part := range strings.SplitSeq(header, ",") {
			one := strings.TrimPrefix(strings.TrimSpace(part), "W/")
			if one == "*" {
				return true
			}
			one, quoted := strings.CutPrefix(one, `"`)
			one, closed := strings.CutSuffix(one, `"`)
			if rest, ok := strings.CutPrefix(one, tag); quoted && closed && ok && (rest == "" || rest[0] == '-') {
				return true
			}
		}
	}
	return false
}
