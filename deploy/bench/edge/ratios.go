package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ropeline/ropeline/admission/line"
	"github.com/ropeline/ropeline/admission/line/redistest"
	"github.com/ropeline/ropeline/deploy/bench/bare"
	"github.com/ropeline/ropeline/deploy/bench/drive"
	"github.com/ropeline/ropeline/deploy/fleet"
)

// crowd is how many distinct tickets and passes the ratios use.
const crowd = 10_000

// site is an edge with its Redis and, in this process, the edge that gives places in bulk.
type site struct {
	redis *fleet.Redis
	edge  *fleet.Edge
	bulk  *bulk
	keys  string
}

// open starts them. rate and cap are the room's.
func (b *bench) open(ctx context.Context, dir, rate string, limit int, origin string) (*site, func(), error) {
	var undo []func()
	closeAll := func() {
		for i := len(undo) - 1; i >= 0; i-- {
			undo[i]()
		}
	}
	s := &site{keys: filepath.Join(dir, "keys")}
	err := func() error {
		if err := os.MkdirAll(filepath.Join(dir, "redis"), 0o755); err != nil {
			return err
		}
		if err := fleet.NewKeys(ctx, b.bin, s.keys); err != nil {
			return err
		}
		var err error
		if s.redis, err = fleet.StartRedis(redistest.Options{Dir: filepath.Join(dir, "redis"), Persistent: true}); err != nil {
			return err
		}
		undo = append(undo, func() { _ = s.redis.End() })
		s.edge, err = fleet.NewEdge(fleet.Config{Name: "edge", Bin: b.bin, Dir: filepath.Join(dir, "edge"), Keys: s.keys, Store: s.redis.URL(),
			Origin: origin, Room: []string{"rate " + rate, fmt.Sprintf("cap %d", limit)}})
		if err != nil {
			return err
		}
		if err := s.edge.Start(ctx); err != nil {
			return err
		}
		undo = append(undo, func() { _ = s.edge.Stop() })
		if err := s.edge.Ready(ctx); err != nil {
			return err
		}
		parsed, err := line.ParseRate(rate)
		if err != nil {
			return err
		}
		s.bulk, err = newBulk(ctx, s.redis.URL(), s.keys, filepath.Join(dir, "bulk"), line.Settings{Rate: parsed, Cap: limit})
		if err != nil {
			return err
		}
		undo = append(undo, func() { _ = s.bulk.room.Stop(context.WithoutCancel(ctx)) })
		return nil
	}()
	if err != nil {
		closeAll()
		return nil, nil, err
	}
	return s, closeAll, nil
}

// ratio measures ours and theirs in turns, with the same requests.
func (b *bench) ratio(ctx context.Context, name string, edge *fleet.Edge, ref *bare.Server, theirs string, want, wantTheirs int, requests func(run int) (func(int64) []byte, error)) error {
	stop := b.profiled(ctx, name, edge)
	defer stop()
	var ours, bares []float64 // CPU time of the two processes, which a busy machine falsifies less than their rates
	for run := range b.runs {
		next, err := requests(run)
		if err != nil {
			return err
		}
		l := drive.Load{Address: edge.Addr(), Connections: b.connections, Warm: b.window() / 4, Window: b.window(), Request: next, Want: want}
		a, used, err := metered(ctx, l, edge.Pid())
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		ours = append(ours, used)
		l.Address, l.Want = theirs, wantTheirs
		c, used, err := metered(ctx, l, ref.Pid())
		if err != nil {
			return fmt.Errorf("%s, the reference: %w", name, err)
		}
		bares = append(bares, used)
		b.Ratio(name, a.PerSecond(), c.PerSecond())
	}
	b.Print(name)
	slices.Sort(ours)
	slices.Sort(bares)
	b.Note("of these, in the process itself: %.1f us of CPU a request, the reference %.1f", ours[len(ours)/2], bares[len(bares)/2])
	return nil
}

// metered is drive with the CPU microseconds that a process used for each request.
func metered(ctx context.Context, l drive.Load, pid int) (drive.Tally, float64, error) {
	before, err := cpu(pid)
	if err != nil {
		return drive.Tally{}, 0, err
	}
	t, err := drive.Run(ctx, l)
	if err != nil {
		return t, 0, err
	}
	after, err := cpu(pid)
	return t, float64((after - before).Microseconds()) / float64(t.All), err
}

const pageHeaders = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\nAccept-Language: en-GB,en;q=0.5\r\nSec-Fetch-Dest: document\r\n" +
	"Sec-Fetch-Mode: navigate\r\nSec-Fetch-Site: none\r\n"

// waiting measures what people outside ask.
func (b *bench) waiting(ctx context.Context, dir string) error {
	s, done, err := b.open(ctx, dir, "1/h", 1, "127.0.0.1:9")
	if err != nil {
		return err
	}
	defer done()
	people, err := s.bulk.join(ctx, crowd)
	if err != nil {
		return err
	}
	tickets, err := s.bulk.tickets(people)
	if err != nil {
		return err
	}
	status := drive.Request(http.MethodGet, fleet.Reserved+"status", "Accept: */*\r\n")
	beats := heartbeats(tickets)
	pages := make([][]byte, crowd)
	for i, t := range tickets {
		pages[i] = drive.Request(http.MethodGet, "/", pageHeaders+cookie("rl-t-"+fleet.Room, t))
	}
	join := drive.Request(http.MethodGet, "/", pageHeaders)
	var bodies []bare.Handler
	for _, r := range [][]byte{status, beats[crowd-1], pages[crowd-1], join} {
		code, body, err := drive.Once(s.edge.Addr(), r)
		if err != nil {
			return err
		}
		bodies = append(bodies, bare.Respond(code, body))
	}
	ref, theirs, err := bare.Start(ctx, b.bin, filepath.Join(dir, "bare"), bodies...)
	if err != nil {
		return err
	}
	defer func() { _ = ref.Stop() }()
	b.Note("%d connections, %d s a measurement, %d runs in turns, %d tickets", b.connections, b.seconds, b.runs, crowd)
	for i, m := range []struct {
		name string
		want int
		next func(int64) []byte
	}{
		{"edge.status_vs_caddy_respond", 200, inTurn([][]byte{status})},
		{"edge.heartbeat_vs_caddy_respond", 200, inTurn(beats)},
		{"edge.page_vs_caddy_respond", 503, inTurn(pages)},
		{"edge.join_vs_caddy_respond", 503, inTurn([][]byte{join})},
	} {
		if err := sameBytes(s.edge.Addr(), theirs[i], m.next(crowd-1), i < 3); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		if err := b.ratio(ctx, m.name, s.edge, ref, theirs[i], m.want, m.want, func(int) (func(int64) []byte, error) { return m.next, nil }); err != nil {
			return err
		}
	}
	return nil
}

// sameBytes proves that the reference answers with as many bytes, but for the digits of a number: Caddy replaces placeholders in what `respond` says.
func sameBytes(ours, theirs string, r []byte, near bool) error {
	_, a, err := drive.Once(ours, r)
	if err != nil {
		return err
	}
	_, b, err := drive.Once(theirs, r)
	if err != nil {
		return err
	}
	if d := len(a) - len(b); near && max(d, -d) > 64+len(a)/50 || len(b) == 0 {
		return fmt.Errorf("the reference answers with %d bytes, the edge with %d", len(b), len(a))
	}
	return nil
}

// inside measures what people who are in ask. Each run begins with a renewal of every pass at the edge, as pages make one
// every few minutes, so that each pass is seen for the first time within the run, and used some times more.
func (b *bench) inside(ctx context.Context, dir string) error {
	origin := plainOrigin()
	defer origin.Close()
	s, done, err := b.open(ctx, dir, "50000/s", crowd, origin.Listener.Addr().String())
	if err != nil {
		return err
	}
	defer done()
	people, err := s.bulk.join(ctx, crowd)
	if err != nil {
		return err
	}
	began := time.Now()
	passes, err := s.bulk.enter(ctx, people)
	if err != nil {
		return err
	}
	b.Note("%d people let in within %.1f s", crowd, time.Since(began).Seconds())
	tickets, err := s.bulk.tickets(people) // a pass is good beside its own ticket only
	if err != nil {
		return err
	}
	ref, theirs, err := bare.Start(ctx, b.bin, filepath.Join(dir, "bare"), bare.Proxy(origin.Listener.Addr().String()))
	if err != nil {
		return err
	}
	defer func() { _ = ref.Stop() }()
	return b.ratio(ctx, "edge.pass_proxy_vs_caddy_proxy", s.edge, ref, theirs[0], 200, 200, func(int) (func(int64) []byte, error) {
		if err := s.renew(passes, tickets); err != nil {
			return nil, err
		}
		all := make([][]byte, len(passes))
		for i, p := range passes {
			all[i] = drive.Request(http.MethodGet, "/hello", "Accept: */*\r\n"+cookie("rl-t-"+fleet.Room, tickets[i]+"; rl-p-"+fleet.Room+"="+p))
		}
		return inTurn(all), nil
	})
}

// renew asks the edge for everybody's next pass, untimed.
func (s *site) renew(passes, tickets []string) error {
	wires := make(chan *drive.Conn, 32)
	for range cap(wires) {
		w, err := drive.Dial(s.edge.Addr())
		if err != nil {
			return err
		}
		defer w.Close()
		w.Note = "Ropeline-Pass"
		wires <- w
	}
	return each(len(passes), cap(wires), func(i int) error {
		w := <-wires
		defer func() { wires <- w }()
		status, err := w.Ask(drive.Request(http.MethodPost, fleet.Reserved+"renew", "Ropeline-Pass: "+passes[i]+"\r\nRopeline-Ticket: "+tickets[i]+"\r\n"))
		if err != nil || status != http.StatusOK || w.Noted == "" {
			return fmt.Errorf("renew: %d, %w", status, err)
		}
		passes[i] = w.Noted
		return nil
	})
}
