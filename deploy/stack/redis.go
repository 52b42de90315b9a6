package stack

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/ropeline/ropeline/deploy/debian"
)

// startRedis runs a private Redis that keeps its data: append-only, fsynced each second, and never evicting, because a
// line that forgets people silently is worse than one that refuses new ones.
func startRedis(ctx context.Context, logs, dir string, port int) (*Child, error) {
	parts, err := debian.ByName("redis")
	if err != nil {
		return nil, err
	}
	program := parts[0].Find()
	if program == "" {
		return nil, fmt.Errorf("%s", debian.Advice(parts))
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("redis: %w", err)
	}
	data, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	c, err := Start(logs, Spec{
		Name: "redis", Path: program,
		Args: []string{"--bind", "127.0.0.1", "--port", strconv.Itoa(port), "--dir", data, "--appendonly", "yes",
			"--appendfsync", "everysec", "--save", "", "--maxmemory-policy", "noeviction", "--daemonize", "no"},
	})
	if err != nil {
		return nil, err
	}
	if err := Await(ctx, c, Listens(loopback(port))); err != nil {
		c.Kill()
		return nil, err
	}
	return c, nil
}
