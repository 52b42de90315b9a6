package paced

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Pooler stands between a program and PostgreSQL and lends a bounded number of server connections by transaction: whoever
// begins one waits until one is free. Each loan lasts at least a given time, which makes a machine with two processors as
// slow as a real database at the other end of a datacentre. (Behind it each client still has a session of its own, so that
// prepared statements work; what is bounded is how many do something at once, which is all that a pool bounds.)
type Pooler struct {
	listener net.Listener
	lasts    time.Duration

	mu       sync.Mutex
	free     *sync.Cond
	slots    int
	lent     int
	to       string // unix:///... of the server, as pgconn has it
	network  string
	sessions map[net.Conn]bool
	closed   bool
}

// NewPooler listens on a free port; Before says later where the server is.
func NewPooler(slots int, lasts time.Duration) (*Pooler, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Pooler{listener: l, lasts: lasts, slots: slots, sessions: map[net.Conn]bool{}}
	p.free = sync.NewCond(&p.mu)
	go p.accept()
	return p, nil
}

// Before takes the address of a database and gives the one that leads through the pooler.
func (p *Pooler) Before(database string) (string, error) {
	c, err := pgconn.ParseConfig(database)
	if err != nil {
		return "", err
	}
	p.mu.Lock()
	p.network, p.to = pgconn.NetworkAddress(c.Host, c.Port)
	p.mu.Unlock()
	host, port, _ := net.SplitHostPort(p.listener.Addr().String())
	u := url.URL{Scheme: "postgres", User: url.User(c.User), Host: net.JoinHostPort(host, port), Path: "/" + c.Database}
	return u.String(), nil
}

// Slots changes how many are lent at once. What is lent is not taken back.
func (p *Pooler) Slots(n int) {
	p.mu.Lock()
	p.slots = n
	p.mu.Unlock()
	p.free.Broadcast()
}

// Close ends all sessions.
func (p *Pooler) Close() error {
	p.mu.Lock()
	p.closed = true
	for c := range p.sessions {
		_ = c.Close()
	}
	p.mu.Unlock()
	p.free.Broadcast()
	return p.listener.Close()
}

func (p *Pooler) accept() {
	for {
		c, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.serve(c)
	}
}

func (p *Pooler) serve(client net.Conn) {
	defer client.Close()
	p.mu.Lock()
	network, to := p.network, p.to
	p.sessions[client] = true
	p.mu.Unlock()
	defer func() { p.mu.Lock(); delete(p.sessions, client); p.mu.Unlock() }()
	if to == "" {
		return
	}
	server, err := (&net.Dialer{}).DialContext(context.Background(), network, to)
	if err != nil {
		return
	}
	defer server.Close()
	in := bufio.NewReader(client)
	if err := greet(client, in, server); err != nil {
		return
	}
	s := &session{p: p, lent: true} // logging in is a loan, too
	if !p.lend() {
		return
	}
	defer s.giveBack()
	go func() {
		defer client.Close()
		defer server.Close()
		_ = s.answers(client, bufio.NewReader(server))
	}()
	_ = s.asks(server, in)
}

// greet passes the first message on. A client that would like TLS is told that there is none.
func greet(client io.Writer, in *bufio.Reader, server io.Writer) error {
	const tlsPlease, gssPlease = 80877103, 80877104
	for {
		head, err := in.Peek(8)
		if err != nil {
			return err
		}
		if code := binary.BigEndian.Uint32(head[4:]); code != tlsPlease && code != gssPlease {
			_, err = io.CopyN(server, in, int64(binary.BigEndian.Uint32(head)))
			return err
		}
		_, _ = in.Discard(8)
		if _, err := client.Write([]byte("N")); err != nil {
			return err
		}
	}
}

// session is one client's.
type session struct {
	p    *Pooler
	mu   sync.Mutex
	lent bool
}

// asks passes on what the client says, and borrows a connection first when it has none.
func (s *session) asks(server io.Writer, in *bufio.Reader) error {
	buf := make([]byte, 32<<10)
	for {
		n, err := in.Read(buf)
		if err != nil {
			return err
		}
		s.mu.Lock()
		has := s.lent
		s.mu.Unlock()
		if !has {
			if !s.p.lend() {
				return errors.New("closed")
			}
			s.mu.Lock()
			s.lent = true
			s.mu.Unlock()
			time.Sleep(s.p.lasts)
		}
		if _, err := server.Write(buf[:n]); err != nil {
			return err
		}
	}
}

// answers passes on what the server says, and gives the connection back when it is ready for another transaction.
func (s *session) answers(client io.Writer, from *bufio.Reader) error {
	const ready, idle = 'Z', 'I'
	out := bufio.NewWriter(client)
	for {
		head, err := from.Peek(5)
		if err != nil {
			return err
		}
		kind, size := head[0], int64(binary.BigEndian.Uint32(head[1:]))
		if size < 4 {
			return fmt.Errorf("a message of %d bytes", size)
		}
		if kind == ready {
			if head, err = from.Peek(6); err != nil {
				return err
			}
			if head[5] == idle {
				s.giveBack() // before the client hears of it, who may begin the next one at once
			}
		}
		if _, err := io.CopyN(out, from, size+1); err != nil {
			return err
		}
		if from.Buffered() == 0 || kind == ready {
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
}

func (p *Pooler) lend() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.lent >= p.slots && !p.closed {
		p.free.Wait()
	}
	p.lent++
	return !p.closed
}

func (s *session) giveBack() {
	s.mu.Lock()
	had := s.lent
	s.lent = false
	s.mu.Unlock()
	if had {
		s.p.mu.Lock()
		s.p.lent--
		s.p.mu.Unlock()
		s.p.free.Signal()
	}
}
