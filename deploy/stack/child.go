package stack

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	// stopLimit is how long a child may take to end by itself: longer than bookingd's and Caddy's own grace periods.
	stopLimit = 20 * time.Second
	// logTail is how much of a child's log an error shows.
	logTail = 15
)

// Spec says what to run.
type Spec struct {
	Name string   // also the name of the log file
	Path string   // the program
	Args []string // without the program's name
	Env  []string // KEY=value, added to our own environment
	Dir  string   // working directory; "" is ours
}

// Child is a running program.
type Child struct {
	spec Spec
	log  string
	cmd  *exec.Cmd
	done chan struct{}
	err  error // after done

	mu       sync.Mutex
	expected bool // we asked it to end
}

// Start runs the program with both outputs appended to <logs>/<name>.log.
func Start(logs string, spec Spec) (*Child, error) {
	if err := os.MkdirAll(logs, 0o755); err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Name, err)
	}
	c := &Child{spec: spec, log: filepath.Join(logs, spec.Name+".log"), done: make(chan struct{})}
	out, err := os.OpenFile(c.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Name, err)
	}
	defer out.Close() // the child has its own copy
	c.cmd = exec.Command(spec.Path, spec.Args...)
	c.cmd.Dir, c.cmd.Stdout, c.cmd.Stderr = spec.Dir, out, out
	c.cmd.Env = append(os.Environ(), spec.Env...)
	c.cmd.SysProcAttr = attributes()
	if err := spawn(c.cmd); err != nil {
		return nil, fmt.Errorf("start %s: %w", spec.Name, err)
	}
	go func() {
		c.err = c.cmd.Wait()
		close(c.done)
	}()
	return c, nil
}

// Name is the spec's.
func (c *Child) Name() string { return c.spec.Name }

// Log is the path of the log file.
func (c *Child) Log() string { return c.log }

// Pid is the process id of the child itself.
func (c *Child) Pid() int { return c.cmd.Process.Pid }

// Done is closed when the child has ended, for whatever reason.
func (c *Child) Done() <-chan struct{} { return c.done }

// Failed tells why the child ended although nobody asked it to, with the end of its log; nil while it runs or after Stop.
func (c *Child) Failed() error {
	select {
	case <-c.done:
	default:
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.expected {
		return nil
	}
	state := "ended by itself"
	if c.err != nil {
		state = c.err.Error()
	}
	return fmt.Errorf("%s: %s; the end of %s:\n%s", c.spec.Name, state, c.log, c.Tail())
}

// Tail is the end of the log.
func (c *Child) Tail() string {
	text, err := os.ReadFile(c.log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(string(bytes.TrimSpace(text)), "\n")
	if len(lines) > logTail {
		lines = lines[len(lines)-logTail:]
	}
	return strings.Join(lines, "\n")
}

// Stop asks the child to end and waits; a child that does not in time is killed with its group, which is an error.
func (c *Child) Stop() error {
	c.mu.Lock()
	c.expected = true
	c.mu.Unlock()
	c.cmd.Process.Signal(syscall.SIGTERM) // an error means that it is gone already
	timer := time.NewTimer(stopLimit)
	defer timer.Stop()
	select {
	case <-c.done:
	case <-timer.C:
		c.killGroup()
		<-c.done
		return fmt.Errorf("%s did not end within %s and was killed; the end of %s:\n%s", c.spec.Name, stopLimit, c.log, c.Tail())
	}
	c.killGroup() // what it may have started and forgotten
	var exit *exec.ExitError
	if errors.As(c.err, &exit) && !endedBy(exit, syscall.SIGTERM) {
		return fmt.Errorf("%s: %w; the end of %s:\n%s", c.spec.Name, c.err, c.log, c.Tail())
	}
	return nil
}

// Kill is kill -9 of the child and its group, and waits until it is gone. It is what a test does to a program, so it is
// no failure.
func (c *Child) Kill() {
	c.mu.Lock()
	c.expected = true
	c.mu.Unlock()
	c.killGroup()
	<-c.done
}

func (c *Child) killGroup() { syscall.Kill(-c.Pid(), syscall.SIGKILL) }

// endedBy: a program without a handler dies of the signal that should stop it, which is as good an end as any.
func endedBy(exit *exec.ExitError, sig syscall.Signal) bool {
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == sig
}
