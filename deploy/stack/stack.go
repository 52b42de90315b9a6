package stack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/ropeline/ropeline/core/pg/cluster"
)

// Config says what to start. Only Dir, Bin and Caddyfile are needed.
type Config struct {
	Dir       string   // data, keys and logs; kept between starts
	Bin       string   // the built programs
	Caddyfile string   // the edge's configuration
	Port      int      // the storefront's wished port; 0, or one that is taken, is any free one
	SamePorts bool     // those of the last start in Dir, where they are still free: bookmarks and scripts go on working
	Public    bool     // the storefront listens on every interface, so that a phone can open it; else on loopback only
	Embedded  bool     // the line lives in the edge itself, no Redis
	Throwaway bool     // PostgreSQL need not survive a power cut: for runs that start from nothing
	Events    []string // event files to import; those already there are left as they are
	Origin    string   // host:port the edge proxies to; "" is bookingd itself

	// Database is given the database's address as the application's role, and says what bookingd gets instead; nil: the same.
	Database func(address string) (string, error)

	BookingEnv, FakepayEnv []string // KEY=value, stronger than what the stack sets
	// EdgeEnv is asked for when the edge starts, which is last: an opening can be counted from there.
	EdgeEnv func(*Stack) []string

	Progress Progress
}

// Stack is a running set of programs.
type Stack struct {
	cfg   Config
	ports struct{ edge, admin, booking, internal, fakepay, redis int }

	DatabaseURL string // as the application's role
	OwnerURL    string // as the owner of the schema
	served      string // what bookingd has as DatabaseURL

	postgres                       *cluster.Cluster
	redis, fakepay, bookingd, edge *Child
}

// Up starts everything, in order, and returns when the edge answers. What was started before a failure is stopped again.
func Up(ctx context.Context, cfg Config) (*Stack, error) {
	s := &Stack{cfg: cfg}
	if err := s.up(ctx); err != nil {
		return nil, errors.Join(err, s.Down())
	}
	return s, nil
}

func (s *Stack) up(ctx context.Context) (err error) {
	if s.cfg.Dir, err = filepath.Abs(s.cfg.Dir); err != nil {
		return err
	}
	if err := os.MkdirAll(s.path("keys"), 0o700); err != nil {
		return fmt.Errorf("state directory: %w", err)
	}
	if err := s.choosePorts(); err != nil {
		return err
	}
	steps := []struct {
		name string
		run  func() (string, error)
	}{
		{"PostgreSQL", func() (string, error) { return s.startPostgres(ctx) }},
		{"Redis", func() (string, error) {
			if s.cfg.Embedded {
				return "not used: the line lives in the edge", nil
			}
			s.redis, err = startRedis(ctx, s.logs(), s.path("redis"), s.ports.redis)
			return loopback(s.ports.redis), err
		}},
		{"database schema", func() (string, error) { return s.bookingdOnce(ctx, "migrate") }},
		{"events", func() (string, error) {
			if len(s.cfg.Events) == 0 {
				return "none", nil
			}
			return s.bookingdOnce(ctx, append([]string{"import"}, s.cfg.Events...)...)
		}},
		{"fakepay (test payments)", func() (string, error) { return loopback(s.ports.fakepay), s.startFakepay(ctx) }},
		{"bookingd (booking core)", func() (string, error) { return loopback(s.ports.booking), s.StartBookingd(ctx) }},
		{"ropeline (edge)", func() (string, error) { return s.EdgeURL(), s.startEdge(ctx) }},
	}
	for _, step := range steps {
		if err := s.cfg.Progress.Step(step.name, step.run); err != nil {
			return err
		}
	}
	return nil
}

func (s *Stack) choosePorts() (err error) {
	if s.ports.edge, err = PreferPort(s.cfg.Port); err != nil {
		return err
	}
	inner := []*int{&s.ports.admin, &s.ports.booking, &s.ports.internal, &s.ports.fakepay, &s.ports.redis}
	var before []int
	if s.cfg.SamePorts {
		before = s.lastPorts(len(inner))
	}
	p, err := WishedPorts(before, len(inner))
	if err != nil {
		return err
	}
	for i, port := range p {
		*inner[i] = port
	}
	if !s.cfg.SamePorts {
		return nil
	}
	text, err := json.Marshal(p)
	if err == nil {
		err = os.WriteFile(s.path(portFile), text, 0o644)
	}
	return err
}

// portFile has the inner ports of the last start.
const portFile = "ports.json"

// lastPorts are those of the last start; none when there was none, or its file is of another version.
func (s *Stack) lastPorts(n int) (p []int) {
	text, err := os.ReadFile(s.path(portFile))
	if err != nil || json.Unmarshal(text, &p) != nil || len(p) != n {
		return nil
	}
	return p
}

// Down stops everything in the reverse order and waits. Every failure is told, none keeps the rest from being stopped.
func (s *Stack) Down() error {
	var errs []error
	for _, c := range []*Child{s.edge, s.bookingd, s.fakepay, s.redis} {
		if c == nil {
			continue
		}
		start := time.Now()
		err := c.Stop()
		if err == nil {
			s.cfg.Progress.Say("%-28s stopped (%.1f s)", c.Name(), time.Since(start).Seconds())
		}
		errs = append(errs, err)
	}
	if s.postgres != nil {
		s.postgres.Stop()
		s.cfg.Progress.Say("%-28s stopped", "postgresql")
	}
	return errors.Join(errs...)
}

// Failed returns a channel that gets the first child that ends although nobody asked it to. A test that kills one asks.
func (s *Stack) Failed(ctx context.Context) <-chan error {
	failed := make(chan error, 4)
	for _, c := range []*Child{s.redis, s.fakepay, s.bookingd, s.edge} {
		if c == nil {
			continue
		}
		go func() {
			select {
			case <-c.Done():
				if err := c.Failed(); err != nil {
					failed <- err
				}
			case <-ctx.Done():
			}
		}()
	}
	return failed
}

// EdgeURL is what a browser on this machine opens.
func (s *Stack) EdgeURL() string { return fmt.Sprintf("http://127.0.0.1:%d", s.ports.edge) }

// EdgePort is for an address another machine can open.
func (s *Stack) EdgePort() int { return s.ports.edge }

// AdminURL is Caddy's admin listener: /ropeline/rooms, /metrics.
func (s *Stack) AdminURL() string { return "http://" + loopback(s.ports.admin) }

// BookingURL is bookingd without the edge before it.
func (s *Stack) BookingURL() string { return "http://" + loopback(s.ports.booking) }

// InternalURL has bookingd's /metrics, /healthz and /readyz.
func (s *Stack) InternalURL() string { return "http://" + loopback(s.ports.internal) }

// FakepayURL is the provider's API.
func (s *Stack) FakepayURL() string { return "http://" + loopback(s.ports.fakepay) }

// RedisURL is the store of the line, "" when the edge has its own.
func (s *Stack) RedisURL() string {
	if s.redis == nil {
		return ""
	}
	return fmt.Sprintf("redis://%s/0", loopback(s.ports.redis))
}

// GrantLog is the file in which the edge writes every decision of the door.
func (s *Stack) GrantLog() string { return s.path("grants.jsonl") }

// Dir is where everything lies.
func (s *Stack) Dir() string { return s.cfg.Dir }
