package fleet

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ropeline/ropeline/deploy/stack"
)

// Room is the room of every fleet.
const Room = "main"

// Config of one edge.
type Config struct {
	Name   string   // of the edge, in logs
	Bin    string   // the ropeline binary
	Dir    string   // its own: log, grants, Caddyfile
	Keys   string   // shared by the edges of a room
	Store  string   // a store URL, or embedded
	Origin string   // host:port
	Room   []string // options of the room, a line each
	Global []string // more lines of the global block
	Site   []string // more lines of the site, before the waiting room
	Proxy  []string // lines of reverse_proxy's block
	Env    []string
}

// Edge is a running edge.
type Edge struct {
	*stack.Child
	conf        Config
	port, admin int
}

// NewKeys makes the signing keys that edges of a room share.
func NewKeys(ctx context.Context, bin, dir string) error {
	out, err := exec.CommandContext(ctx, bin, "keys", "init", dir).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ropeline keys init: %w\n%s", err, out)
	}
	return nil
}

// NewEdge prepares an edge on ports of its own and starts nothing.
func NewEdge(c Config) (*Edge, error) {
	ports, err := stack.FreePorts(2)
	if err != nil {
		return nil, err
	}
	e := &Edge{conf: c, port: ports[0], admin: ports[1]}
	return e, e.Write(c.Room...)
}

// Write puts a Caddyfile with these options of the room where the next Start or Reload finds it.
func (e *Edge) Write(room ...string) error {
	c := e.conf
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		return err
	}
	indent := func(lines []string, by string) string { return by + strings.Join(lines, "\n"+by) + "\n" }
	text := fmt.Sprintf("{\n\tadmin 127.0.0.1:%d\n\tgrace_period 10s\n%s\tropeline {\n\t\tstore %s\n\t\tkeys %s\n\t\tdata %s\n\t}\n}\n",
		e.admin, indent(c.Global, "\t"), c.Store, c.Keys, filepath.Join(c.Dir, "rooms"))
	text += fmt.Sprintf("http://:%d {\n\tbind 127.0.0.1\n%s\twaiting_room %s {\n%s\t\tgrant_log %s\n\t}\n\treverse_proxy %s {\n%s\t}\n}\n",
		e.port, indent(c.Site, "\t"), Room, indent(room, "\t\t"), e.Grants(), c.Origin, indent(c.Proxy, "\t\t"))
	return os.WriteFile(e.file(), []byte(text), 0o644)
}

// Point is Write with another origin.
func (e *Edge) Point(origin string, room ...string) error {
	e.conf.Origin = origin
	return e.Write(room...)
}

func (e *Edge) file() string { return filepath.Join(e.conf.Dir, "Caddyfile") }

// Start runs the edge, also again after Kill, and returns when it answers.
func (e *Edge) Start(ctx context.Context) error {
	if err := e.Launch(); err != nil {
		return err
	}
	return stack.Await(ctx, e.Child, stack.Listens("127.0.0.1:"+strconv.Itoa(e.port)))
}

// Launch runs the edge and waits for nothing.
func (e *Edge) Launch() (err error) {
	e.Child, err = stack.Start(filepath.Join(e.conf.Dir, "log"), stack.Spec{
		Name: e.conf.Name, Path: e.conf.Bin, Args: []string{"run", "--config", e.file(), "--adapter", "caddyfile"},
		Env: append([]string{"XDG_DATA_HOME=" + filepath.Join(e.conf.Dir, "data"), "XDG_CONFIG_HOME=" + filepath.Join(e.conf.Dir, "config")}, e.conf.Env...),
	})
	return err
}

// Ready waits until the room gives places.
func (e *Edge) Ready(ctx context.Context) error {
	return stack.Await(ctx, e.Child, stack.Says(e.URL()+Reserved+"status", `"state":"merging"`))
}

// Reload is what an operator does after a change of the Caddyfile; it returns the command's output.
func (e *Edge) Reload(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, e.conf.Bin, "reload", "--config", e.file(), "--adapter", "caddyfile", "--address", "127.0.0.1:"+strconv.Itoa(e.admin)).CombinedOutput()
	return string(out), err
}

// Command runs `ropeline room ...` against this edge.
func (e *Edge) Command(ctx context.Context, args ...string) (string, error) {
	args = append(append([]string{"room"}, args...), "--address", "127.0.0.1:"+strconv.Itoa(e.admin))
	out, err := exec.CommandContext(ctx, e.conf.Bin, args...).CombinedOutput()
	return string(out), err
}

// Reserved is the room's prefix.
const Reserved = "/.well-known/ropeline/" + Room + "/"

// URL is the site.
func (e *Edge) URL() string { return "http://" + e.Addr() }

// Addr is the site's host:port.
func (e *Edge) Addr() string { return "127.0.0.1:" + strconv.Itoa(e.port) }

// Admin is Caddy's admin listener.
func (e *Edge) Admin() string { return "http://127.0.0.1:" + strconv.Itoa(e.admin) }

// Grants is the grant log.
func (e *Edge) Grants() string { return filepath.Join(e.conf.Dir, "grants.jsonl") }

// Rooms is the directory of the edge's own log.
func (e *Edge) Rooms() string { return filepath.Join(e.conf.Dir, "rooms") }

// Status fetches the public status document.
func (e *Edge) Status(ctx context.Context) (s Status, err error) {
	_, err = call(ctx, http.DefaultClient, http.MethodGet, e.URL()+Reserved+"status", nil, &s)
	return s, err
}

// Status is what is used of the public status document.
type Status struct {
	Epoch   int64
	Term    int64
	Gen     string
	State   string
	X0, X1  int64
	N       int64
	Joined  int64
	Door    int64
	Gaps    [][2]int64
	Rate    float64
	Message string
}
