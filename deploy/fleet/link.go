package fleet

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Link is a stretch of network between a program and a server: it can be slow, cut, or refuse. A cut loses nothing that was
// under way, as TCP would not: it comes when the link is healed, if anybody still waits for it.
type Link struct {
	to       string
	listener net.Listener
	delay    atomic.Int64 // of each piece, in each direction

	mu      sync.Mutex
	open    chan struct{} // closed while data flows
	refuse  bool
	conns   map[net.Conn]struct{}
	stopped bool
}

// NewLink listens on a free port and forwards to an address.
func NewLink(to string) (*Link, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	k := &Link{to: to, listener: l, open: make(chan struct{}), conns: map[net.Conn]struct{}{}}
	close(k.open)
	go k.accept()
	return k, nil
}

// Addr is what stands for the server's address.
func (k *Link) Addr() string { return k.listener.Addr().String() }

// Slow makes every piece of data late by d in each direction; 0 ends it.
func (k *Link) Slow(d time.Duration) { k.delay.Store(int64(d)) }

// Cut stops everything without telling anybody: packets are dropped.
func (k *Link) Cut() {
	k.mu.Lock()
	defer k.mu.Unlock()
	select {
	case <-k.open:
		k.open = make(chan struct{})
	default:
	}
}

// Refuse ends all connections and every new one at once, as a host does on which nothing listens.
func (k *Link) Refuse() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.refuse = true
	for c := range k.conns {
		_ = c.Close()
	}
}

// Heal ends Cut, Slow and Refuse.
func (k *Link) Heal() {
	k.Slow(0)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.refuse = false
	select {
	case <-k.open:
	default:
		close(k.open)
	}
}

// Close ends the link for good.
func (k *Link) Close() error {
	err := k.listener.Close()
	k.mu.Lock()
	k.stopped = true
	k.mu.Unlock()
	k.Heal()
	k.Refuse()
	return err
}

func (k *Link) accept() {
	for {
		c, err := k.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil {
			go k.carry(c)
		}
	}
}

func (k *Link) carry(c net.Conn) {
	defer c.Close()
	k.wait()
	s, err := net.Dial("tcp", k.to)
	if err != nil {
		return
	}
	defer s.Close()
	if !k.keep(c, s) {
		return
	}
	defer k.drop(c, s)
	done := make(chan struct{}, 2)
	for _, way := range [][2]net.Conn{{c, s}, {s, c}} {
		go func() {
			k.pump(way[0], way[1])
			done <- struct{}{}
		}()
	}
	<-done // one side has ended: so does the other
}

// pump copies one direction.
func (k *Link) pump(from, to net.Conn) {
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			time.Sleep(time.Duration(k.delay.Load()))
			k.wait()
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				k.wait()
			}
			return
		}
	}
}

func (k *Link) wait() {
	k.mu.Lock()
	open := k.open
	k.mu.Unlock()
	<-open
}

func (k *Link) keep(conns ...net.Conn) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.refuse || k.stopped {
		return false
	}
	for _, c := range conns {
		k.conns[c] = struct{}{}
	}
	return true
}

func (k *Link) drop(conns ...net.Conn) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range conns {
		delete(k.conns, c)
	}
}
