package kills

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// maxMessage bounds a message of the protocol; a statement of ours with its parameters is far below.
const maxMessage = 16 << 20

const socketName = ".s.PGSQL.5432"

// tap stands between bookingd and PostgreSQL, understands what the client sends, and shoots at a chosen moment.
type tap struct {
	url    string // of the database through the tap
	server string // PostgreSQL's socket

	mu       sync.Mutex
	learning bool
	noise    map[string]bool // what the loops say when nobody asks for anything: it belongs to no operation
	openers  map[string]bool // first statements of transactions that turned out to be an operation's; noise may be among them
	aim      *shot
}

// shot is one kill: at the n-th moment counted from when it was aimed.
type shot struct {
	n, seen int
	kill    func()
	at      string        // the statement and the side of it
	fired   chan struct{} // closed when the moment has come
	dead    chan struct{} // closed when the process is gone
}

// newTap listens on a socket of its own; everything said until learned is noise.
func newTap(t *testing.T, database string) *tap {
	t.Helper()
	u, err := url.Parse(database)
	must0(t, err)
	q := u.Query()
	p := &tap{server: filepath.Join(q.Get("host"), socketName), learning: true, noise: map[string]bool{}, openers: map[string]bool{}}
	dir, err := os.MkdirTemp("", "ropeline-tap-") // t.TempDir is too long for a socket
	must0(t, err)
	l, err := net.Listen("unix", filepath.Join(dir, socketName))
	must0(t, err)
	q.Set("host", dir)
	u.RawQuery = q.Encode()
	p.url = u.String()
	var all sync.WaitGroup
	all.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { p.carry(client) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		all.Wait()
		_ = os.RemoveAll(dir)
	})
	return p
}

// forget starts the learning anew.
func (p *tap) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.noise, p.openers = map[string]bool{}, map[string]bool{}
}

// learned ends the learning and tells how many statements are noise.
func (p *tap) learned() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.learning = false
	return len(p.noise)
}

// shootAt aims at the n-th moment from now.
func (p *tap) shootAt(n int, kill func()) *shot {
	s := &shot{n: n, kill: kill, fired: make(chan struct{}), dead: make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.aim = s
	return s
}

// lower ends the aiming; false: the moment never came.
func (p *tap) lower(s *shot) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.aim = nil
	return s.hit()
}

func (s *shot) hit() bool {
	select {
	case <-s.fired:
		return true
	default:
		return false
	}
}

// moment counts one and returns the shot if it is the one that was aimed at.
func (p *tap) moment(at string) *shot {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.aim
	if s == nil {
		return nil
	}
	if s.seen++; s.seen != s.n {
		return nil
	}
	p.aim, s.at = nil, at
	close(s.fired)
	return s
}

func (s *shot) shoot() {
	s.kill()
	close(s.dead)
}

// dull: the statement belongs to no operation.
func (p *tap) dull(sql string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.learning {
		p.noise[sql] = true
	}
	return p.noise[sql]
}

// talk is one connection of the client.
type talk struct {
	p        *tap
	prepared map[string]string // statement name -> text
	open     bool              // a transaction is
	dirty    bool              // with a statement of an operation in it
	// begin is a BEGIN that the client has been told is done and the server has not heard: only what follows tells whose
	// it is, and so whether the process has to die before it.
	begin   []byte
	first   string       // statement of the transaction
	unasked atomic.Int32 // answers of the server that the client is not waiting for
}

// begun is the answer to BEGIN: the command is complete, and a transaction open.
var begun = []byte("C\x00\x00\x00\x0aBEGIN\x00Z\x00\x00\x00\x05T")

func (p *tap) carry(client net.Conn) {
	defer client.Close()
	back, err := net.Dial("unix", p.server)
	if err != nil {
		return
	}
	var held atomic.Pointer[shot]
	answered := make(chan struct{})
	c := &talk{p: p, prepared: map[string]string{}}
	go func() {
		defer close(answered)
		defer client.Close()
		c.answers(bufio.NewReaderSize(back, 64<<10), client, &held)
	}()
	defer func() { <-answered }()
	defer back.Close()
	in := bufio.NewReaderSize(client, 64<<10)
	hello, err := message(in, 0)
	for err == nil {
		if _, err = back.Write(hello); err != nil {
			return
		}
		var said []byte
		if said, err = c.group(in); err != nil {
			return
		}
		if c.begins(said) {
			c.begin, hello = said, nil
			if _, err := client.Write(begun); err != nil {
				return
			}
			continue
		}
		before, after := c.moments(said)
		if before != nil {
			before.shoot()
			return
		}
		if _, executes := c.read(said); c.begin != nil && executes { // to prepare a statement needs no transaction
			c.unasked.Add(1)
			said, c.begin = append(c.begin, said...), nil
		}
		if after != nil {
			held.Store(after)
			_, _ = back.Write(said)
			<-answered
			return
		}
		hello = said
	}
}

// answers carries what the server says to the client, but for what it says to a BEGIN that came late.
func (c *talk) answers(back *bufio.Reader, client io.Writer, held *atomic.Pointer[shot]) {
	for {
		m, err := message(back, 1)
		if err != nil {
			return
		}
		if c.unasked.Load() > 0 {
			if m[0] == 'Z' {
				c.unasked.Add(-1)
			}
			continue
		}
		// Nothing else was asked on this connection: what comes is the answer, so the server is done.
		if s := held.Load(); s != nil {
			s.shoot()
			return
		}
		if _, err := client.Write(m); err != nil {
			return
		}
	}
}

// message reads one message with its head; the first of a connection has no type.
func message(in *bufio.Reader, head int) ([]byte, error) {
	m := make([]byte, head+4)
	if _, err := io.ReadFull(in, m); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(m[head:])
	if n < 4 || n > maxMessage {
		return nil, io.ErrUnexpectedEOF
	}
	m = append(m, make([]byte, n-4)...)
	_, err := io.ReadFull(in, m[head+4:])
	return m, err
}

// group reads what the client sends before it waits for an answer.
func (c *talk) group(in *bufio.Reader) (all []byte, err error) {
	for {
		m, err := message(in, 1)
		if err != nil {
			return nil, err
		}
		all = append(all, m...)
		switch m[0] {
		case 'P', 'B', 'D', 'E', 'C':
		default: // Sync, Query, a piece of COPY, a password, the end
			return all, nil
		}
	}
}

// moments tells whether the process has to die before the group is forwarded or after its answer has come.
func (c *talk) moments(group []byte) (before, after *shot) {
	sql, executes := c.read(group)
	word := strings.ToLower(sql)
	switch {
	case !executes:
		return nil, nil
	case word == "rollback":
		c.open = false
	case word == "commit":
		dirty := c.dirty
		c.open, c.dirty = false, false
		if !dirty {
			return nil, nil
		}
		if before = c.p.moment("before COMMIT"); before == nil {
			after = c.p.moment("after COMMIT, before its answer")
		}
	case !c.open:
	default:
		if c.begin != nil {
			if c.first = sql; c.p.opens(sql) {
				before = c.p.moment(beforeBegin + short(sql))
			}
		}
		if before != nil || c.p.dull(sql) {
			break
		}
		if !c.dirty {
			c.p.opener(c.first)
		}
		c.dirty = true
		before = c.p.moment("before: " + short(sql))
	}
	return before, after
}

// opener notes how a transaction of an operation began; opens tells whether one may begin so.
func (p *tap) opener(sql string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.openers[sql] = true
}

func (p *tap) opens(sql string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.openers[sql] && !p.learning
}

const beforeBegin = "before BEGIN of: "

// begins: the group opens a transaction, of which nothing has been told to anybody.
func (c *talk) begins(group []byte) bool {
	sql, executes := c.read(group)
	if !executes || !strings.HasPrefix(strings.ToLower(sql), "begin") {
		return false
	}
	c.open, c.dirty = true, false
	return true
}

// read takes a group apart: the texts it executes.
func (c *talk) read(group []byte) (sql string, executes bool) {
	var texts []string
	for len(group) > 0 {
		end := 1 + int(binary.BigEndian.Uint32(group[1:]))
		kind, body := group[0], string(group[5:end])
		group = group[end:]
		first, rest, _ := strings.Cut(body, "\x00")
		second, _, _ := strings.Cut(rest, "\x00")
		switch kind {
		case 'P':
			c.prepared[first] = second
		case 'B':
			texts = append(texts, c.prepared[second])
		case 'Q':
			texts, executes = append(texts, first), true
		case 'c':
			texts, executes = append(texts, "the rows of a COPY"), true
		case 'E':
			executes = true
		}
	}
	return strings.Join(texts, "; "), executes
}

// short is a statement's beginning on one line.
func short(sql string) string {
	words := strings.Join(strings.Fields(sql), " ")
	return words[:min(len(words), 70)]
}
