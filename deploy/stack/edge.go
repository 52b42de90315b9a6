package stack

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
)

// Room is the room that deploy/Caddyfile puts before the box office.
const Room = "boxoffice"

// startEdge runs the edge from the Caddyfile an operator would copy; everything that differs between machines is in its
// environment.
func (s *Stack) startEdge(ctx context.Context) error {
	store := "embedded"
	if s.redis != nil {
		store = s.RedisURL()
	}
	origin := s.cfg.Origin
	if origin == "" {
		origin = loopback(s.ports.booking)
	}
	if err := s.edgeKeys(ctx); err != nil {
		return err
	}
	bind := "127.0.0.1"
	if s.cfg.Public {
		bind = ""
	}
	var more []string
	if s.cfg.EdgeEnv != nil {
		more = s.cfg.EdgeEnv(s)
	}
	c, err := Start(s.logs(), Spec{
		Name: "edge", Path: s.program("ropeline"),
		Args: []string{"run", "--config", s.cfg.Caddyfile, "--adapter", "caddyfile"},
		Env: append([]string{
			"ROPELINE_BIND=" + bind,
			"ROPELINE_PORT=" + strconv.Itoa(s.ports.edge),
			"ROPELINE_ADMIN=" + loopback(s.ports.admin),
			"ROPELINE_STORE=" + store,
			"ROPELINE_KEYS=" + s.path("keys", "edge"),
			"ROPELINE_GRANT_LOG=" + s.GrantLog(),
			"ROPELINE_ORIGIN=" + origin,
			"ROPELINE_FAKEPAY=" + loopback(s.ports.fakepay),
			// Caddy keeps its own state (and the embedded store's) below these, not in the user's home.
			"XDG_DATA_HOME=" + s.path("edge", "data"),
			"XDG_CONFIG_HOME=" + s.path("edge", "config"),
		}, more...),
	})
	if err != nil {
		return err
	}
	s.edge = c
	// A room on a shared store waits some seconds for what other edges know before it gives places.
	return Await(ctx, c, Says(s.EdgeURL()+"/.well-known/ropeline/"+Room+"/status", `"state":"merging"`))
}

// edgeKeys makes the signing keys once: an edge with a shared store makes none by itself, since each would make others.
func (s *Stack) edgeKeys(ctx context.Context) error {
	dir := s.path("keys", "edge")
	if have, err := filepath.Glob(filepath.Join(dir, "*.json")); err != nil || len(have) > 0 {
		return err
	}
	out, err := exec.CommandContext(ctx, s.program("ropeline"), "keys", "init", dir).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ropeline keys init: %w\n%s", err, out)
	}
	return nil
}
