// Package redistest starts a private Redis: an own process, a free port on loopback, an own directory. Tests and
// the demo use it, so that neither touches a Redis that happens to run on the machine.
package redistest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	portTries  = 5 // another process can take a free port between our look and the server's bind
	startLimit = 10 * time.Second
	stopLimit  = 10 * time.Second
)

// ErrMissing says that there is no redis-server, and the cure.
var ErrMissing = errors.New("redis-server is not installed: install it (Debian: apt-get install redis-server), or set REDIS_SERVER to its path")

// Options of a server.
type Options struct {
	Dir        string // for its files; must exist
	Persistent bool   // keeps an append-only file in Dir, synced each second
	Port       int    // 0: a free one
	// Args are added to the command line, behind those of this package: --replicaof, --cluster-enabled, ...
	Args []string
	Env  []string // added to the environment
	// Sentinel is a sentinel's configuration file in Dir; the server is a sentinel then.
	Sentinel string
}

// Server is one running redis-server.
type Server struct {
	opt  Options
	bin  string
	port int
	cmd  *exec.Cmd
	out  *bytes.Buffer
	done chan struct{}
}

// Find returns the path of redis-server.
func Find() (string, error) {
	if path := os.Getenv("REDIS_SERVER"); path != "" {
		if _, err := exec.LookPath(path); err != nil {
			return "", fmt.Errorf("REDIS_SERVER=%s: %w: %w", path, err, ErrMissing)
		}
		return path, nil
	}
	for _, name := range []string{"redis-server", "/usr/sbin/redis-server", "/usr/local/bin/redis-server"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrMissing
}

// Start runs a server and returns when it answers.
func Start(o Options) (*Server, error) {
	bin, err := Find()
	if err != nil {
		return nil, err
	}
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return nil, err
	}
	s := &Server{opt: o, bin: bin}
	return s, s.Restart()
}

// Run starts a server for one test, which ends with it. A missing redis-server fails the test: skipping would
// call untested code tested.
func Run(t testing.TB) *Server {
	t.Helper()
	s, err := Start(Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() })
	return s
}

// Restart starts a server that was stopped or killed, on the same port and with what its directory keeps.
func (s *Server) Restart() error {
	var err error
	for range portTries {
		port := s.port
		if port == 0 {
			port = s.opt.Port
		}
		if port == 0 {
			if port, err = freePort(); err != nil {
				return err
			}
		}
		if err = s.run(port); err == nil {
			s.port = port
			return nil
		}
	}
	return err
}

func (s *Server) run(port int) error {
	appendOnly := "no"
	if s.opt.Persistent {
		appendOnly = "yes"
	}
	s.out = &bytes.Buffer{}
	args := []string{"--bind", "127.0.0.1", "--port", strconv.Itoa(port), "--dir", s.opt.Dir,
		"--save", "", "--appendonly", appendOnly, "--daemonize", "no"}
	if s.opt.Sentinel != "" { // a sentinel refuses what is about keeping data
		args = []string{s.opt.Sentinel, "--sentinel", "--bind", "127.0.0.1", "--port", strconv.Itoa(port), "--dir", s.opt.Dir}
	}
	s.cmd = exec.Command(s.bin, append(args, s.opt.Args...)...)
	s.cmd.Stdout, s.cmd.Stderr = s.out, s.out
	s.cmd.Env = append(os.Environ(), s.opt.Env...)
	s.cmd.SysProcAttr = dieWithParent()
	if err := s.cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", s.bin, err)
	}
	s.done = make(chan struct{})
	go func() {
		_ = s.cmd.Wait()
		close(s.done)
	}()
	deadline := time.Now().Add(startLimit)
	for time.Now().Before(deadline) {
		select {
		case <-s.done:
			return fmt.Errorf("%s ended at once: %s", s.bin, lastLine(s.out.String()))
		default:
		}
		if ready(port) {
			return nil
		}
	}
	_ = s.Kill()
	return fmt.Errorf("%s did not answer within %s", s.bin, startLimit)
}

// ready asks for a PONG: a port that merely accepts may still be loading its file, or be somebody else's.
func ready(port int) bool {
	c, err := net.DialTimeout("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), 50*time.Millisecond)
	if err != nil {
		time.Sleep(5 * time.Millisecond) // the pause between two looks, not what the start waits for
		return false
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Second))
	if _, err := c.Write([]byte("PING\r\n")); err != nil {
		return false
	}
	answer := make([]byte, 5)
	_, err = c.Read(answer)
	return err == nil && string(answer) == "+PONG"
}

// Addr is host:port.
func (s *Server) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) }

// URL is redis://host:port/0.
func (s *Server) URL() string { return "redis://" + s.Addr() + "/0" }

// Stop ends the server in order, so that a persistent one has written everything.
func (s *Server) Stop() error { return s.end(syscall.SIGTERM) }

// Kill ends the server as a crash does.
func (s *Server) Kill() error { return s.end(syscall.SIGKILL) }

func (s *Server) end(sig syscall.Signal) error {
	if s.cmd == nil || s.cmd.Process == nil {
		return nil
	}
	if err := s.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-s.done:
	case <-time.After(stopLimit):
		_ = s.cmd.Process.Kill()
		<-s.done
	}
	return nil
}

// Forget deletes what the server's directory keeps: the loss of its disk. Call it while the server is ended.
func (s *Server) Forget() error {
	err := os.RemoveAll(filepath.Join(s.opt.Dir, "appendonlydir"))
	if dump := os.Remove(filepath.Join(s.opt.Dir, "dump.rdb")); dump != nil && !errors.Is(dump, fs.ErrNotExist) {
		err = errors.Join(err, dump)
	}
	return err
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}
