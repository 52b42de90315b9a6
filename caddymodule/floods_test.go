package caddymodule

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/net/http2"
)

// mostHeap is by how much a flood may grow the heap of the whole test process, edge and attacker together.
const mostHeap = 128 << 20

// besides runs an attack, and checks that it costs little memory, gets nothing to the origin, and keeps nobody out.
func (e *edge) besides(name string, attack func()) {
	e.t.Helper()
	var a, b runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&a)
	seen := len(e.origin.requests())
	attack()
	v := e.visitor()
	v.navigate("/").want(e.t, 503)
	v.do("GET", reservedPrefix+"main/status").want(e.t, 200)
	runtime.GC()
	runtime.ReadMemStats(&b)
	if grown := int64(b.HeapAlloc) - int64(a.HeapAlloc); grown > mostHeap {
		e.t.Errorf("%s: the heap grew by %d MiB", name, grown>>20)
	}
	if n := len(e.origin.requests()) - seen; n != 0 {
		e.t.Errorf("%s: the origin saw %d", name, n)
	}
}

// drain reads whatever comes, so that the attacker's socket does not fill up.
func drain(c net.Conn) { go func() { _, _ = io.Copy(io.Discard, c) }() }

// AH30: floods of frames end with their connection or cost nothing that grows. Scaled from a million streams a minute to
// some ten thousand frames of each kind; the bound on memory is on the heap of the process.
func TestFloodsOfFrames(t *testing.T) {
	const many = 20_000
	e := over{"h2", true}.edge(t, roomWith("rate 1/h", "join_limit off"), "")
	request := block(plain()...)
	for name, attack := range map[string]func(c *h2conn){
		"rapid reset": func(c *h2conn) {
			for id := uint32(1); id < 2*many; id += 2 {
				if c.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: request, EndHeaders: true, EndStream: true}) != nil || c.WriteRSTStream(id, http2.ErrCodeCancel) != nil {
					return
				}
			}
		},
		"resets made by the server": func(c *h2conn) { // a window update of zero is an error of its stream
			for id := uint32(1); id < 2*many; id += 2 {
				if c.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: request, EndHeaders: true}) != nil || c.WriteWindowUpdate(id, 0) != nil {
					return
				}
			}
		},
		"pings": func(c *h2conn) {
			for range many {
				if c.WritePing(false, [8]byte{}) != nil {
					return
				}
			}
		},
		"settings": func(c *h2conn) {
			for range many {
				if c.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1}) != nil {
					return
				}
			}
		},
		"empty data": func(c *h2conn) {
			_ = c.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block(append([]string{":method", "POST"}, plain()[2:]...)...), EndHeaders: true})
			for range many {
				if c.WriteData(1, false, nil) != nil {
					return
				}
			}
		},
		"continuations": func(c *h2conn) {
			_ = c.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: request})
			part := block("x-more", strings.Repeat("a", 8000))
			for range many / 10 {
				if c.WriteContinuation(1, false, part) != nil {
					return
				}
			}
		},
		"HPACK bomb": func(c *h2conn) { // one long entry of the table, named a thousand times a block
			first := block(append(plain(), "x-bomb", strings.Repeat("a", 3900))...)
			for id := uint32(1); id < 200; id += 2 {
				b := append(append([]byte{}, first...), strings.Repeat("\xbe", 4000)...)
				if c.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: b, EndHeaders: true, EndStream: true}) != nil {
					return
				}
				first = request
			}
		},
		"10,000 trailers": func(c *h2conn) {
			_ = c.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block(append([]string{":method", "POST"}, plain()[2:]...)...), EndHeaders: true})
			_ = c.WriteData(1, false, []byte("x"))
			var fields []string
			for i := range 10_000 {
				fields = append(fields, fmt.Sprintf("x-t%d", i), "1")
			}
			rest := block(fields...)
			_ = c.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: rest[:16000], EndStream: true})
			for rest = rest[16000:]; len(rest) > 0; rest = rest[min(16000, len(rest)):] {
				part := rest[:min(16000, len(rest))]
				if c.WriteContinuation(1, len(part) == len(rest), part) != nil {
					return
				}
			}
		},
	} {
		e.besides(name, func() {
			c := e.frames()
			drain(c.conn)
			attack(c)
			c.conn.Close()
		})
	}
}

// AH29: whoever sends or reads slowly keeps nobody else out, and is hung up on. Scaled from 15,000 connections to 150,
// with a header deadline of a second; the ten seconds are the setting that our configurations ship.
func TestSlowConnections(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		e := o.edge(t, roomWith("rate 1/h", "join_limit off"), "", "strict_sni_host on", "strict_sni_host on\n\t\ttimeouts {\n\t\t\tread_header 1s\n\t\t\tread_body 2s\n\t\t\tidle 2s\n\t\t}")
		e.besides("slow", func() {
			var slow []net.Conn
			for i := range 150 {
				c := e.dial(map[bool]string{true: "h2", false: "http/1.1"}[o.h2])
				part := "GET / HTTP/1.1\r\nHost: edge.test\r\nX-"
				if o.h2 {
					part = http2.ClientPreface
					var frame [9]byte // headers that never come to their end
					binary.BigEndian.PutUint16(frame[1:], 100)
					part += "\x00\x00\x00\x04\x00\x00\x00\x00\x00" + string(frame[:3]) + "\x01\x00\x00\x00\x00\x01ab"
				} else if i%3 == 1 {
					part = "POST / HTTP/1.1\r\nHost: edge.test\r\nContent-Length: 1000\r\n\r\nab"
				}
				if _, err := io.WriteString(c, part); err != nil {
					t.Fatal(err)
				}
				slow = append(slow, c)
			}
			e.visitor().navigate("/").want(t, 503) // while all of them hang
			for i, c := range slow {
				if _, err := io.Copy(io.Discard, c); err != nil && strings.Contains(err.Error(), "timeout") {
					t.Fatalf("connection %d was never closed", i)
				}
			}
		})
	})
}
