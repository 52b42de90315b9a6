package paced

import (
	"bytes"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ropeline/ropeline/deploy/fleet"
	"github.com/ropeline/ropeline/deploy/stack"
)

var long = flag.Bool("long", false, "a minute of each fault, and the telemetry cut too: some six minutes")

const (
	slug = "harbour-sound-2027" // 15,400 places: what runs out here is never the stock

	// The shop as it is: six connections for orders, money and reading, and a database behind a pooler that is nowhere
	// near its end with 12. A transaction takes 40 ms, so that some people a second are already a load.
	connections = 6
	slots       = 12
	lasts       = 40 * time.Millisecond
	// The contract with the provider: six calls at once, of which each takes 200 ms.
	contract = "6,100"
	payment  = 200 * time.Millisecond

	// What goes wrong.
	quarter     = slots / 4
	slowPayment = 10 * payment

	buyers, manyBuyers = 300, 700 // the second for the long run
)

// world is the programs of one run.
type world struct {
	t         *testing.T
	dir, out  string
	s         *stack.Stack
	pooler    *Pooler
	telemetry *fleet.Link
	seen      *decisions
	marks     []mark
	crowd     *exec.Cmd
	crowdOut  bytes.Buffer
	crowdEnds chan error
}

// up starts everything but the crowd.
func up(t *testing.T) *world {
	t.Helper()
	root, err := stack.Repository()
	check(t, err)
	w := &world{t: t, out: filepath.Join(root, ".run", "paced")}
	check(t, os.RemoveAll(w.out))
	check(t, os.MkdirAll(w.out, 0o755))
	// Not t.TempDir: its path is too long for PostgreSQL's socket, and its parent is closed to PostgreSQL's user.
	w.dir, err = os.MkdirTemp("", "ropeline-paced-")
	check(t, err)
	check(t, os.Chmod(w.dir, 0o755))
	progress := stack.Progress{W: os.Stderr}
	bin := filepath.Join(root, ".run", "bin")
	check(t, stack.Build(t.Context(), progress, root, bin, stack.Programs...))
	w.pooler, err = NewPooler(slots, lasts)
	check(t, err)
	t.Cleanup(func() { _ = w.pooler.Close() })
	recorder, err := stack.FreePorts(1)
	check(t, err)
	record := fmt.Sprintf("127.0.0.1:%d", recorder[0])
	log := filepath.Join(w.out, "decisions.jsonl")
	w.s, err = stack.Up(t.Context(), stack.Config{
		Dir: w.dir, Bin: bin, Caddyfile: filepath.Join(root, "deploy", "paced", "Caddyfile"), Throwaway: true, Progress: progress,
		Events: []string{filepath.Join(root, "deploy", "demo", "data", "festival.json")}, Origin: record, Database: w.pooler.Before,
		BookingEnv: []string{fmt.Sprintf("BOOKINGD_DATABASE_CONNS=%d", connections), "BOOKINGD_PAYMENT_LIMIT=" + contract,
			"BOOKINGD_HOLDS_PER_MINUTE=off", "BOOKINGD_PAYMENTS_PER_MINUTE=off"},
		FakepayEnv: []string{"FAKEPAY_LATENCY=" + payment.String()},
		EdgeEnv: func(s *stack.Stack) []string {
			link, err := fleet.NewLink(strings.TrimPrefix(s.InternalURL(), "http://"))
			check(t, err)
			w.telemetry = link
			return []string{"ROPELINE_TELEMETRY=http://" + link.Addr() + "/telemetry", "ROPELINE_DECISIONS=" + log}
		},
	})
	if err != nil {
		t.Fatalf("%v\n(logs are kept in %s)", err, w.dir)
	}
	t.Cleanup(w.down)
	w.seen = follow(t, log)
	w.sell(bin, record)
	return w
}

// sell sends the crowd. They come faster than they are let in, so that there is a line to the end: what moves is the rate alone.
func (w *world) sell(bin, record string) {
	n := buyers
	if *long {
		n = manyBuyers
	}
	w.crowd = exec.CommandContext(w.t.Context(), filepath.Join(bin, "loadtest"), "sale", "--edge", w.s.EdgeURL(), "--room", stack.Room, "--event", slug,
		"--buyers", fmt.Sprint(n), "--early", "0", "--late-for", (time.Duration(n) * 150 * time.Millisecond).String(), "--patience", "60s", "--ghost", "0.03", "--walk-away", "0.05", "--for", "15m",
		"--history", filepath.Join(w.dir, "history.jsonl"), "--record", record, "--record-file", filepath.Join(w.dir, "record.jsonl"),
		"--origin", w.s.BookingURL(), "--database", w.s.DatabaseURL)
	w.crowd.Stdout, w.crowd.Stderr = &w.crowdOut, &w.crowdOut
	check(w.t, w.crowd.Start())
	w.crowdEnds = make(chan error, 1)
	go func() { w.crowdEnds <- w.crowd.Wait() }()
}

// gone waits until the last of the crowd is gone.
func (w *world) gone() {
	w.t.Helper()
	select {
	case err := <-w.crowdEnds:
		w.t.Logf("the crowd: %s", strings.TrimSpace(w.crowdOut.String()))
		check(w.t, err)
	case <-time.After(patience):
		w.t.Fatalf("the crowd is still there %s after it was sent home", patience)
	}
}

// leave ends the crowd: whoever is inside may finish what is under way, whoever waits goes home.
func (w *world) leave() {
	w.t.Helper()
	check(w.t, w.crowd.Process.Signal(os.Interrupt))
	w.gone()
}

// judge recomputes every promise from rows, logs and what passed by.
func (w *world) judge() {
	w.t.Helper()
	root, _ := stack.Repository()
	cmd := exec.CommandContext(w.t.Context(), filepath.Join(root, ".run", "bin", "loadtest"), "check", "--database", w.s.DatabaseURL, "--grant-log", w.s.GrantLog(),
		"--fakepay", w.s.FakepayURL(), "--history", filepath.Join(w.dir, "history.jsonl"), "--record", filepath.Join(w.dir, "record.jsonl"), "--room", stack.Room)
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Errorf("a promise is broken (%v):\n%s", err, out)
	}
}

func (w *world) down() {
	if w.crowd != nil && w.crowd.ProcessState == nil {
		_ = w.crowd.Process.Kill()
	}
	if w.telemetry != nil {
		w.telemetry.Heal() // a reader that waits for ever would keep the edge from ending
	}
	if err := w.s.Down(); err != nil {
		w.t.Error(err)
	}
	if w.telemetry != nil {
		_ = w.telemetry.Close()
	}
	if w.t.Failed() {
		w.t.Logf("logs and data are kept in %s, decisions in %s", w.dir, w.out)
		return
	}
	if err := stack.Forget(w.dir); err != nil {
		w.t.Error(err)
	}
}

// provider changes how the payment provider behaves.
func (w *world) provider(setting string) {
	w.t.Helper()
	resp, err := http.Post(w.s.FakepayURL()+"/control", "application/json", strings.NewReader(setting))
	check(w.t, err)
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		w.t.Fatalf("the provider's control: %s", resp.Status)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
