package caddymodule

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/admission/line"
)

// stream is a WebSocket or an event stream of somebody inside. It ends with the pass, since nobody else would ever
// look at the pass again; a renewal at this edge lengthens it. It also ends some seconds after its configuration has.
type stream struct {
	vid     string
	from    netip.Prefix
	app     *App                           // of the configuration it was opened under
	pass    atomic.Pointer[admission.Pass] // the newest this edge has given or seen
	cancel  context.CancelFunc             // ends the request to the origin
	over    atomic.Bool
	writing sync.Mutex // orders our last words after the origin's

	mu     sync.Mutex          // never held while something is written: a visitor may read slowly, or not at all
	conn   net.Conn            // a WebSocket, once it is one
	events http.ResponseWriter // an event stream, once it is one
}

const (
	// maxStreams bounds what one visitor keeps open at an edge: some tabs, each with a stream and a socket.
	maxStreams = 32
	// maxPrefixStreams bounds what one IPv4 address or IPv6 /64 does; a mobile network's address stands for many people.
	maxPrefixStreams = 2048

	defaultSpread = 10 * time.Second
	maxSpread     = 10 * time.Minute
)

// checkSpread reads the option reload_spread.
func checkSpread(d caddy.Duration) error {
	if v := time.Duration(d); v != 0 && (v < time.Second || v > maxSpread) {
		return fmt.Errorf("reload_spread %s: write 1s to %s, the time over which open streams are closed after a reload", v, maxSpread)
	}
	return nil
}

func (c RoomConfig) spread() time.Duration {
	return cmp.Or(time.Duration(c.ReloadSpread), defaultSpread)
}

// streams are those of one room at this edge.
type streams struct {
	mu       sync.Mutex
	gone     *App          // of the configuration that was replaced last
	spread   time.Duration // over which its streams are closed
	all      map[string]map[*stream]struct{}
	prefixes map[netip.Prefix]int
}

// streaming says whether a request may become one. EventSource always names its type.
func streaming(r *http.Request) bool {
	return isUpgrade(r) || strings.Contains(r.Header.Get("Accept"), "text/event-stream")
}

// open is nil when the visitor, or its network, has as many open as one may. from is no prefix where addresses say
// nothing: behind a balancer that nobody has named to Caddy.
func (s *streams) open(app *App, p admission.Pass, from netip.Prefix, cancel context.CancelFunc) *stream {
	st := &stream{vid: string(p.VID), from: from, app: app, cancel: cancel}
	st.pass.Store(&p)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all[st.vid]) >= maxStreams || s.prefixes[from] >= maxPrefixStreams {
		return nil
	}
	if s.all == nil {
		s.all, s.prefixes = map[string]map[*stream]struct{}{}, map[netip.Prefix]int{}
	}
	if from.IsValid() {
		s.prefixes[from]++
	}
	if s.all[st.vid] == nil {
		s.all[st.vid] = map[*stream]struct{}{}
	}
	s.all[st.vid][st] = struct{}{}
	if app != nil && app == s.gone { // asked for just before a reload, and opened after it
		st.retireIn(rand.N(s.spread))
	}
	return st
}

// retire closes the streams that were opened under a configuration that another has replaced, one after the other: all at
// once they would all be back in the same moment, and each costs the origin a connection.
func (s *streams) retire(app *App, spread time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone, s.spread = app, spread
	var old []*stream
	for _, of := range s.all {
		for st := range of {
			if st.app == app {
				old = append(old, st)
			}
		}
	}
	for i, st := range old {
		each := float64(spread) / float64(len(old))
		st.retireIn(time.Duration((float64(i) + rand.Float64()) * each))
	}
}

// retireIn ends a stream of a configuration that is gone. An answer that is no stream, or not yet one, is left alone until it
// has become one or is over: a reload breaks no request off.
func (st *stream) retireIn(d time.Duration) {
	time.AfterFunc(d, func() {
		st.mu.Lock()
		is := st.conn != nil || st.events != nil
		st.mu.Unlock()
		if is {
			st.end(farewellReload)
		} else if !st.over.Load() {
			st.retireIn(time.Second)
		}
	})
}

func (s *streams) close(st *stream) {
	st.over.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.prefixes[st.from]--; s.prefixes[st.from] <= 0 {
		delete(s.prefixes, st.from)
	}
	delete(s.all[st.vid], st)
	if len(s.all[st.vid]) == 0 {
		delete(s.all, st.vid)
	}
}

// renewed lengthens the streams of a visitor who got another pass.
func (s *streams) renewed(p admission.Pass) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for st := range s.all[string(p.VID)] {
		st.pass.Store(&p)
	}
}

// cut ends the streams whose pass is not good any more.
func (s *streams) cut(now time.Time, snap line.Snapshot, ended func(vid string, term int64) bool) {
	s.mu.Lock()
	var over []*stream
	for _, of := range s.all {
		for st := range of {
			if p := st.pass.Load(); now.After(p.Expires) || ended(st.vid, p.Term) || known(snap) && (p.Epoch != snap.Epoch || p.Term != snap.Term) {
				over = append(over, st)
			}
		}
	}
	s.mu.Unlock()
	for _, st := range over {
		go st.end(farewellPass)
	}
}

// lastWord is how long a visitor may take to hear that it is over.
const lastWord = time.Second

// lastWords are what a stream says at its end: a WebSocket by its close code (RFC 6455, 7.4.1 and the registry it names), an event
// stream by an event. A browser comes back after either by itself; after "expired" the page knows that it would not be let in.
type lastWords struct {
	code   uint16
	reason string
	event  string
}

var (
	farewellPass   = lastWords{1008, "pass expired", "event: expired\ndata: {}\n\n"}
	farewellReload = lastWords{1012, "reload", ""}
)

// end says why, if anybody can still be told, and closes. The deadline comes first: the origin's writer may be stuck.
func (st *stream) end(say lastWords) {
	if st.over.Swap(true) {
		return
	}
	defer st.cancel()
	st.mu.Lock()
	conn, events := st.conn, st.events
	st.mu.Unlock()
	switch until := time.Now().Add(lastWord); {
	case conn != nil:
		_ = conn.SetWriteDeadline(until)
		st.writing.Lock()
		defer st.writing.Unlock()
		_, _ = conn.Write(closeFrame(say.code, say.reason))
		_ = conn.Close()
	case events != nil:
		_ = http.NewResponseController(events).SetWriteDeadline(until)
		st.writing.Lock()
		defer st.writing.Unlock()
		// The empty line first: the origin may have been in the middle of an event.
		_, _ = events.Write([]byte("\n\n" + say.event))
		_ = http.NewResponseController(events).Flush()
	}
}

// write passes on what the origin says, until the end.
func (st *stream) write(to io.Writer, b []byte) (int, error) {
	st.writing.Lock()
	defer st.writing.Unlock()
	if st.over.Load() {
		return 0, net.ErrClosed
	}
	return to.Write(b)
}

// closeFrame is a WebSocket close frame of a server (RFC 6455, 5.5.1).
func closeFrame(code uint16, reason string) []byte {
	f := []byte{0x88, byte(2 + len(reason))}
	return append(binary.BigEndian.AppendUint16(f, code), reason...)
}

// upgraded is the visitor's side of a WebSocket.
type upgraded struct {
	net.Conn
	st *stream
}

func (u upgraded) Write(b []byte) (int, error) { return u.st.write(u.Conn, b) }

// Hijack keeps hold of a connection that becomes a WebSocket.
func (g *guarded) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(g.ResponseWriter).Hijack()
	if err != nil || g.stream == nil {
		return conn, rw, err
	}
	g.stream.mu.Lock()
	defer g.stream.mu.Unlock()
	g.stream.conn = conn
	return upgraded{conn, g.stream}, rw, nil
}
