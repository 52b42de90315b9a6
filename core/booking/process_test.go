package booking

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/problem"
)

// engineURL makes the test's binary an engine on the database it names, which a test
// can kill like a process of production: with nothing cleaned up.
const engineURL = "ROPELINE_TEST_ENGINE"

func TestMain(m *testing.M) {
	if url := os.Getenv(engineURL); url != "" {
		fmt.Fprintln(os.Stderr, serveEngine(url))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// ask is a request to a process, and told its answer.
type (
	ask struct {
		Account int64     `json:"account"`
		Key     string    `json:"key"`
		Seats   []int32   `json:"seats,omitempty"`
		Release uuid.UUID `json:"release"`
	}
	told struct {
		Code  string    `json:"code"` // "" is done
		Taken []int32   `json:"taken,omitempty"`
		Hold  uuid.UUID `json:"hold"`
		Body  []byte    `json:"body,omitempty"`
	}
)

func serveEngine(url string) error {
	db, err := pg.Open(context.Background(), url, pg.Options{})
	if err != nil {
		return err
	}
	e, err := New(Config{QueueWait: time.Hour}, db, Deps{})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() { // the parent has gone, however it went
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	fmt.Println("http://" + l.Addr().String())
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q ask
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		c := Command{EventSlug: slug, AccountID: q.Account, Route: "process", Key: q.Key}
		var a Answer
		var err error
		if q.Release != uuid.Nil {
			a, err = e.Release(r.Context(), c, ReleaseRequest{q.Release})
		} else {
			a, err = e.Hold(r.Context(), c, seats(q.Seats...))
		}
		_ = json.NewEncoder(w).Encode(tell(a, err))
	}))
}

func tell(a Answer, err error) told {
	v, err := viewOf(a, err)
	t := told{Hold: v.ID, Body: a.Body}
	if p := problem.As(err); p != nil {
		t.Code = p.Code
		b, _ := json.Marshal(p.Extra["seats"])
		var taken []struct{ Seat int32 }
		_ = json.Unmarshal(b, &taken)
		for _, s := range taken {
			t.Taken = append(t.Taken, s.Seat)
		}
	} else if err != nil {
		t.Code = "fault: " + err.Error()
	}
	return t
}

// process is an engine of its own, which may be killed and started again.
type process struct {
	t    *testing.T
	url  string
	cmd  *exec.Cmd
	addr atomic.Pointer[string]
}

func startProcess(t *testing.T, url string) *process {
	t.Helper()
	p := &process{t: t, url: url}
	p.start()
	t.Cleanup(p.kill)
	return p
}

func (p *process) start() {
	p.t.Helper()
	p.cmd = exec.Command(os.Args[0])
	p.cmd.Env = append(os.Environ(), engineURL+"="+p.url)
	p.cmd.Stderr = os.Stderr
	if _, err := p.cmd.StdinPipe(); err != nil {
		p.t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		p.t.Fatalf("an engine did not start: %v", err)
	}
	addr := strings.TrimSpace(line)
	p.addr.Store(&addr)
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait() // always an error: it was killed
}

var errNoAnswer = errors.New("no answer")

func (p *process) send(client *http.Client, q ask) (t told, err error) {
	body, err := json.Marshal(q)
	if err != nil {
		return t, err
	}
	r, err := client.Post(*p.addr.Load(), "application/json", bytes.NewReader(body))
	if err != nil {
		return t, errNoAnswer
	}
	defer r.Body.Close()
	if json.NewDecoder(r.Body).Decode(&t) != nil {
		return t, errNoAnswer
	}
	return t, nil
}
