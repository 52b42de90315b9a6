package caddymodule

import (
	"bytes"
	"errors"
	"io"
	"net"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// h2conn is a client that writes the frames of HTTP/2 itself, well-formed or not.
type h2conn struct {
	t    *testing.T
	conn net.Conn
	*http2.Framer
	next uint32
}

func (e *edge) frames() *h2conn {
	e.t.Helper()
	c := e.dial("h2")
	if _, err := io.WriteString(c, http2.ClientPreface); err != nil {
		e.t.Fatal(err)
	}
	h := &h2conn{t: e.t, conn: c, Framer: http2.NewFramer(c, c), next: 1}
	h.AllowIllegalWrites = true
	h.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	if err := h.WriteSettings(); err != nil {
		e.t.Fatal(err)
	}
	return h
}

// headers writes one request as it is given and returns its stream. Names and values come in pairs.
func (c *h2conn) headers(end bool, fields ...string) uint32 {
	c.t.Helper()
	id := c.next
	c.next += 2
	if err := c.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: block(fields...), EndHeaders: true, EndStream: end}); err != nil {
		c.t.Log("write:", err) // the server has hung up already: the reading side tells
	}
	return id
}

func block(fields ...string) []byte {
	var b bytes.Buffer
	enc := hpack.NewEncoder(&b)
	for i := 0; i+1 < len(fields); i += 2 {
		_ = enc.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	return b.Bytes()
}

// plain is a request that nothing is wrong with.
func plain(more ...string) []string {
	return append([]string{":method", "GET", ":scheme", "https", ":authority", "edge.test", ":path", "/x", "accept", "application/json"}, more...)
}

// outcome is what came of a stream: its status, or how it was refused.
type outcome struct {
	status string
	reset  http2.ErrCode
	gone   bool // the whole connection
}

func (o outcome) refused() bool {
	return o.gone || o.reset != 0 || o.status == "400" || o.status == "431" || o.status == "501" || o.status == "505"
}

// outcome reads until the stream, or the connection, is over.
func (c *h2conn) outcome(stream uint32) (out outcome) {
	c.t.Helper()
	for {
		f, err := c.ReadFrame()
		if err != nil {
			if out.gone = true; !errors.Is(err, io.EOF) {
				c.t.Log("read:", err)
			}
			return out
		}
		switch f := f.(type) {
		case *http2.SettingsFrame:
			if !f.IsAck() {
				_ = c.WriteSettingsAck()
			}
		case *http2.GoAwayFrame:
			if f.ErrCode != http2.ErrCodeNo {
				out.gone = true
				return out
			}
		case *http2.RSTStreamFrame:
			if f.StreamID == stream {
				out.reset = f.ErrCode
				return out
			}
		case *http2.MetaHeadersFrame:
			if f.StreamID == stream && out.status == "" {
				out.status = f.PseudoValue("status")
			}
			if f.StreamID == stream && f.StreamEnded() {
				return out
			}
		case *http2.DataFrame:
			if f.StreamID == stream && f.StreamEnded() {
				return out
			}
		}
	}
}

// AH20: what HTTP/2 forbids is refused on its stream or with its connection, and the origin hears nothing of it; the
// next request on a connection that is still there is an ordinary one.
func TestForbiddenFrames(t *testing.T) {
	e := over{"h2", true}.edge(t, roomWith("rate 1/h"), "")
	v := e.visitor()
	v.navigate("/").want(t, 503)
	with := func(old, new string) []string {
		out := plain()
		for i, s := range out {
			if s == old {
				out[i] = new
			}
		}
		return out
	}
	drop := func(name string) []string {
		out := plain()
		for i := 0; i < len(out); i += 2 {
			if out[i] == name {
				return append(out[:i:i], out[i+2:]...)
			}
		}
		return out
	}
	for name, fields := range map[string][]string{
		"transfer-encoding":           plain("transfer-encoding", "chunked"),
		"connection":                  plain("connection", "keep-alive"),
		"proxy-connection":            plain("proxy-connection", "keep-alive"),
		"keep-alive":                  plain("keep-alive", "timeout=5"),
		"upgrade":                     plain("upgrade", "h2c"),
		"te other than trailers":      plain("te", "gzip"),
		"upper-case name":             plain("X-Upper", "1"),
		"CR LF in a value":            plain("x-a", "1\r\nropeline-pass: forged"),
		"LF in a value":               plain("x-a", "1\nx-b: 2"),
		"NUL in a value":              plain("x-a", "1\x002"),
		"colon in a name":             plain("x:a", "1"),
		"space in a name":             plain("x a", "1"),
		"empty name":                  plain("", "1"),
		":path twice":                 append([]string{":path", "/y"}, plain()...),
		":method twice":               append([]string{":method", "POST"}, plain()...),
		"pseudo after a field":        plain(":path", "/y"),
		"unknown pseudo":              append([]string{":fake", "1"}, plain()...),
		"spaces in the method":        with("GET", "GET /admin HTTP/1.1\r\nX:"),
		"no path":                     drop(":path"),
		"no method":                   drop(":method"),
		"no scheme":                   drop(":scheme"),
		"relative path":               with("/x", "x"),
		"space in the path":           with("/x", "/x HTTP/1.1\r\nx: y"),
		":authority that is not ours": with("edge.test", "evil.test"),
	} {
		c := e.frames()
		got := c.outcome(c.headers(true, fields...))
		if !got.refused() && got.status != "421" {
			t.Errorf("%s: %+v", name, got)
		}
		if !got.gone {
			if next := c.outcome(c.headers(true, plain()...)); next.status != "429" && !next.gone {
				t.Errorf("%s: the request behind it: %+v", name, next)
			}
		}
	}
	// Another Host beside :authority: the one that was checked is the one that counts.
	c := e.frames()
	if got := c.outcome(c.headers(true, plain("host", "evil.test")...)); got.status == "200" {
		t.Errorf("host beside :authority: %+v", got)
	}
	// A body longer or shorter than its content-length.
	for name, body := range map[string]string{"longer": "abcdef", "shorter": "ab"} {
		c := e.frames()
		id := c.headers(false, append([]string{":method", "POST", ":scheme", "https", ":authority", "edge.test", ":path", "/x"}, "content-length", "4")...)
		_ = c.WriteData(id, true, []byte(body))
		if got := c.outcome(id); got.status == "200" {
			t.Errorf("body %s than its length: %+v", name, got)
		}
	}
	if n := len(e.origin.requests()); n != 0 {
		t.Errorf("the origin saw %d", n)
	}
}

// AH25, AH21: no tunnel through HTTP/2 either, plain or extended (RFC 8441), with a pass or without.
func TestNoTunnelsThroughFrames(t *testing.T) {
	e := over{"h2", true}.edge(t, roomWith("rate 1000/s"), "")
	v := e.visitor()
	v.navigate("/")
	v.enter("/")
	cookies := e.named(passPart, e.cookie(v, passPart)) + "; " + e.named(ticketPart, e.cookie(v, ticketPart))
	for name, fields := range map[string][]string{
		"CONNECT":          {":method", "CONNECT", ":authority", "edge.test"},
		"extended CONNECT": {":method", "CONNECT", ":protocol", "websocket", ":scheme", "https", ":path", "/ws", ":authority", "edge.test"},
		"TRACE":            {":method", "TRACE", ":scheme", "https", ":path", "/", ":authority", "edge.test"},
	} {
		c := e.frames()
		if got := c.outcome(c.headers(true, append(fields, "cookie", cookies)...)); got.status != "405" && !got.refused() {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if n := len(e.origin.requests()); n != 0 {
		t.Errorf("the origin saw %d", n)
	}
}

// AH17: trailers of HTTP/2 carry nothing of ours to the origin.
func TestTrailersOfFrames(t *testing.T) {
	e := over{"h2", true}.edge(t, roomWith("rate 1000/s"), "")
	v := e.visitor()
	v.navigate("/")
	v.enter("/")
	pass := e.cookie(v, passPart)
	e.origin.answerWith(readsTrailers(t, pass))
	c := e.frames()
	id := c.headers(false, ":method", "POST", ":scheme", "https", ":authority", "edge.test", ":path", "/t", "trailer", "x-t",
		"cookie", e.named(passPart, pass), "cookie", e.named(ticketPart, e.cookie(v, ticketPart)))
	_ = c.WriteData(id, false, []byte("abc"))
	_ = c.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: block("x-t", "1", "ropeline-pass", "forged", "ropeline_pass", "forged"), EndHeaders: true, EndStream: true})
	if got := c.outcome(id); got.status != "200" {
		t.Fatalf("%+v", got)
	}
}
