package caddymodule

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// echoSocket answers a WebSocket handshake as far as a proxy looks at it, sends a word, and stays open.
func echoSocket(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") == "" {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: hello\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return
	}
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	_, _ = rw.WriteString("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nhello")
	_ = rw.Flush()
	_, _ = io.Copy(io.Discard, conn)
}

// socket opens a WebSocket by hand and returns what has been read of the answer.
func (e *edge) socket(cookies, origin string) (net.Conn, *bufio.Reader, *http.Response) {
	e.t.Helper()
	conn, err := net.Dial("unix", e.sock)
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	fmt.Fprintf(conn, "GET /ws HTTP/1.1\r\nHost: edge.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nOrigin: %s\r\nCookie: %s\r\n\r\n", origin, cookies)
	rd := bufio.NewReader(conn)
	resp, err := http.ReadResponse(rd, nil)
	if err != nil {
		e.t.Fatal(err)
	}
	return conn, rd, resp
}

// AH23, AH24, W58: a WebSocket needs a pass and a page of this site, and is closed with 1008 when its session is over.
func TestWebSockets(t *testing.T) {
	e := newEdge(t, roomWith("rate 1000/s"), "")
	e.origin.answerWith(echoSocket)
	v := e.visitor()
	v.navigate("/")
	v.enter("/")
	pass := "rl-p-main=" + e.cookie(v, passPart) + "; rl-t-main=" + e.cookie(v, ticketPart)
	if _, _, r := e.socket(pass, "https://evil.test"); r.StatusCode != http.StatusForbidden {
		t.Errorf("a page of another site: %d", r.StatusCode)
	}
	if _, _, r := e.socket("rl-p-main=none", "http://edge.test"); r.StatusCode != http.StatusTooManyRequests {
		t.Errorf("without a pass: %d", r.StatusCode)
	}
	if n := len(e.origin.requests()); n != 0 {
		t.Fatalf("the origin saw %d of them", n)
	}
	_, rd, r := e.socket(pass, "http://edge.test")
	if r.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("with a pass: %d", r.StatusCode)
	}
	hello := make([]byte, 5)
	if _, err := io.ReadFull(rd, hello); err != nil || string(hello) != "hello" {
		t.Fatalf("%q %v", hello, err)
	}
	v.post("leave").want(t, 200)
	rest, err := io.ReadAll(rd)
	if err != nil || string(rest) != string(closeFrame(1008, "pass expired")) {
		t.Errorf("after the end: %q %v", rest, err)
	}
}

// AH24: the same for an event stream, over both versions of HTTP; a renewed pass keeps it open.
func TestEventStreamsEndWithThePass(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		t.Run(fmt.Sprint("h2 ", h2), func(t *testing.T) {
			e := newEdge(t, roomWith("rate 1000/s"), "")
			e.h2 = h2
			e.origin.answerWith(echoSocket)
			v := e.visitor()
			v.navigate("/")
			v.enter("/")
			ctx, stop := context.WithTimeout(t.Context(), patience)
			defer stop()
			req, _ := http.NewRequestWithContext(ctx, "GET", "http://edge.test/events", nil)
			req.Header.Set("Accept", "text/event-stream")
			resp, err := v.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			rd := bufio.NewReader(resp.Body)
			if line, err := rd.ReadString('\n'); line != "data: hello\n" {
				t.Fatalf("%q %v", line, err)
			}
			room := e.room()
			p, err := room.checker.Load().Verify(e.cookie(v, passPart), room.now())
			if err != nil {
				t.Fatal(err)
			}
			never := func(string, int64) bool { return false }
			long := p
			long.Expires = p.Expires.Add(time.Minute)
			room.streams.renewed(long)
			open := func() int {
				room.streams.mu.Lock()
				defer room.streams.mu.Unlock()
				n := 0
				for _, of := range room.streams.all {
					for st := range of {
						if !st.over.Load() {
							n++
						}
					}
				}
				return n
			}
			room.streams.cut(p.Expires.Add(time.Second), e.snapshot(), never)
			if open() != 1 {
				t.Fatal("a renewed pass did not keep its stream open")
			}
			room.streams.cut(long.Expires.Add(time.Second), e.snapshot(), never)
			rest, _ := io.ReadAll(rd)
			if !strings.Contains(string(rest), "event: expired") {
				t.Errorf("after the end: %q", rest)
			}
			e.until("forgotten", func() bool { room.streams.mu.Lock(); defer room.streams.mu.Unlock(); return len(room.streams.all) == 0 })
		})
	}
}
