package fleet

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// echo answers each line with itself.
func echo(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(c, c); _ = c.Close() }()
		}
	}()
	return l.Addr().String()
}

// A cut link says nothing and loses nothing; one that refuses ends its connections.
func TestLink(t *testing.T) {
	k, err := NewLink(echo(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.Close() })
	c, err := net.Dial("tcp", k.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r := bufio.NewReader(c)
	say := func(word string) {
		t.Helper()
		if _, err := c.Write([]byte(word + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	hear := func(want string) {
		t.Helper()
		if got, err := r.ReadString('\n'); err != nil || got != want+"\n" {
			t.Fatalf("heard %q, %v, want %q", got, err, want)
		}
	}
	say("one")
	hear("one")
	k.Cut()
	say("two")
	_ = c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if b, err := r.Peek(1); err == nil {
		t.Fatalf("a cut link lets %q through", b)
	}
	_ = c.SetReadDeadline(time.Time{})
	k.Heal()
	hear("two")
	k.Refuse()
	if _, err := r.ReadByte(); err == nil {
		t.Error("a link that refuses keeps its connections")
	}
	d, err := net.Dial("tcp", k.Addr())
	if err == nil {
		_ = d.SetReadDeadline(time.Now().Add(10 * time.Second))
		if _, err := d.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a new connection: %v, want its end", err)
		}
		_ = d.Close()
	}
}
