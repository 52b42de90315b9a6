package pgtest

import (
	"bytes"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

// Proxy stands between a pool and the server and can lose the answer to a COMMIT,
// which is the one failure nobody can tell from a COMMIT that did not happen. It can
// also be a server that is away.
type Proxy struct {
	URL  string // of the test's database through the proxy, as AppRole
	Lost atomic.Int64

	lose atomic.Int64
	then atomic.Pointer[func()]

	mu      sync.Mutex
	away    bool
	clients map[net.Conn]struct{}
}

// NewProxy starts a proxy to the test's database.
func NewProxy(t testing.TB, db *DB) *Proxy {
	t.Helper()
	u, err := url.Parse(db.URL)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	const socket = ".s.PGSQL.5432"
	server := filepath.Join(q.Get("host"), socket)
	dir, err := os.MkdirTemp("", "ropeline-px-") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, socket))
	if err != nil {
		t.Fatal(err)
	}
	q.Set("host", dir)
	u.RawQuery = q.Encode()
	p := &Proxy{URL: u.String(), clients: make(map[net.Conn]struct{})}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { p.serve(client, server) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		all.Wait()
		_ = os.RemoveAll(dir)
	})
	return p
}

// LoseCommits makes the next n COMMITs reach the server and be done there, and
// their clients lose the connection instead of getting the answer.
func (p *Proxy) LoseCommits(n int) { p.lose.Store(int64(n)) }

// LoseACommit is LoseCommits of one, with something that happens after the server has
// committed and before the client knows of anything: Leave, say.
func (p *Proxy) LoseACommit(then func()) {
	p.then.Store(&then)
	p.LoseCommits(1)
}

// Leave ends every connection and refuses new ones until Return. A client can still
// send its next statement and then reads that there is no one, as on TCP.
func (p *Proxy) Leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.away = true
	for c := range p.clients {
		_ = c.(*net.UnixConn).CloseWrite()
	}
	clear(p.clients)
}

// Return ends Leave.
func (p *Proxy) Return() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.away = false
}

// enter tells whether a client is served at all.
func (p *Proxy) enter(client net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.away {
		p.clients[client] = struct{}{}
	}
	return !p.away
}

// knows returns false for a client that was left.
func (p *Proxy) knows(client net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, there := p.clients[client]
	return there
}

func (p *Proxy) forget(client net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.clients, client)
}

func (p *Proxy) serve(client net.Conn, server string) {
	defer client.Close()
	if !p.enter(client) {
		return
	}
	defer p.forget(client)
	back, err := net.Dial("unix", server)
	if err != nil {
		return
	}
	defer back.Close()
	var losing atomic.Bool
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		defer client.Close()
		buf := make([]byte, 64<<10)
		for {
			n, err := back.Read(buf)
			if err != nil || losing.Load() { // the server has committed: say nothing
				if losing.Load() {
					if then := p.then.Swap(nil); then != nil {
						(*then)()
					}
				}
				return
			}
			if _, err := client.Write(buf[:n]); err != nil {
				return
			}
		}
	}()
	// pgx sends COMMIT as a simple query: 'Q', a length, the text.
	commit := []byte(fmt.Sprintf("Q\x00\x00\x00%ccommit\x00", 4+len("commit")+1))
	buf := make([]byte, 64<<10)
	for {
		n, err := client.Read(buf)
		if err != nil || !p.knows(client) {
			break
		}
		if bytes.Equal(buf[:n], commit) && p.lose.Add(-1) >= 0 {
			losing.Store(true)
			p.Lost.Add(1)
		}
		if _, err := back.Write(buf[:n]); err != nil || losing.Load() {
			break
		}
	}
	if !losing.Load() {
		_ = back.Close()
	}
	<-answered
}
