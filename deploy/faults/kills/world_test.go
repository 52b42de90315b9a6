package kills

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/booking"
	"github.com/ropeline/ropeline/core/payment/fakepay"
	"github.com/ropeline/ropeline/core/pgtest"
	"github.com/ropeline/ropeline/deploy/stack"
	"github.com/ropeline/ropeline/loadtest/check"
)

const (
	// patience bounds every wait. It is no measure: whatever takes longer is stuck.
	patience      = 60 * time.Second
	webhookSecret = "whsec_kills"
	rows, perRow  = 20, 30
	price         = 5000
)

// world is a database and a provider that live on, and one bookingd after another.
type world struct {
	t                 *testing.T
	db                *pgtest.DB
	tap               *tap
	bank              string // the provider's address
	child             *stack.Child
	bin, dir          string
	address, internal string
	starts, seat      int
	client            *http.Client
}

var built struct {
	sync.Once
	bin string
	err error
}

// newWorld has an event on sale and no webhooks: whoever wants to know what became of a payment has to ask.
func newWorld(t *testing.T) *world {
	t.Helper()
	root, err := stack.Repository()
	must0(t, err)
	built.Do(func() {
		built.bin = filepath.Join(root, ".run", "bin")
		built.err = stack.Build(t.Context(), stack.Progress{W: os.Stderr}, root, built.bin, "./core/cmd/bookingd")
	})
	must0(t, built.err)
	ports, err := stack.FreePorts(2)
	must0(t, err)
	// A client that keeps connections would send a lost request again by itself, since it has an Idempotency-Key.
	w := &world{t: t, db: pgtest.New(t), bin: filepath.Join(built.bin, "bookingd"), dir: t.TempDir(),
		address: fmt.Sprintf("127.0.0.1:%d", ports[0]), internal: fmt.Sprintf("127.0.0.1:%d", ports[1]),
		client: &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}}
	w.tap = newTap(t, w.db.URL)
	bank, err := fakepay.New(fakepay.Options{})
	must0(t, err)
	server := httptest.NewServer(bank)
	t.Cleanup(func() { _ = bank.Close(); server.Close() })
	w.bank = server.URL

	file := filepath.Join(w.dir, "event.json")
	must0(t, os.WriteFile(file, hall(t), 0o644))
	cmd := exec.CommandContext(t.Context(), w.bin, "import", file)
	cmd.Env = append(os.Environ(), "BOOKINGD_OWNER_DATABASE_URL="+w.db.OwnerURL)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("import: %v\n%s", err, out)
	}
	w.start()
	t.Cleanup(func() { must0(t, w.child.Stop()) })
	return w
}

// hall is an event file with enough seats for one a kill.
func hall(t *testing.T) []byte {
	t.Helper()
	type row struct {
		Name  string  `json:"name"`
		Seats [][]any `json:"seats"`
	}
	var list []row
	for r := range rows {
		one := row{Name: fmt.Sprint(r + 1)}
		for s := range perRow {
			one.Seats = append(one.Seats, []any{fmt.Sprint(s + 1), 20 + 20*s, 20 + 20*r})
		}
		list = append(list, one)
	}
	text, err := json.Marshal(list)
	must0(t, err)
	return fmt.Appendf(nil, `{
		"venue": {"slug": "hall", "name": "Hall", "city": "Leipzig", "country": "DE", "width": 1000, "height": 1000,
			"sections": [{"name": "Stalls", "class": "A", "rows": %s}]},
		"events": [{"slug": "show", "venue": "hall", "organiser": "Show", "title": "Show", "place": "Leipzig",
			"starts_at": "2035-05-01T20:00", "time_zone": "Europe/Berlin", "currency": "EUR",
			"prices": [{"class": "A", "name": "A seat", "amount": %d}]}]}`, text, price)
}

// start is the next process.
func (w *world) start() {
	w.t.Helper()
	w.starts++
	var err error
	w.child, err = stack.Start(w.dir, stack.Spec{
		Name: fmt.Sprintf("bookingd-%d", w.starts), Path: w.bin, Args: []string{"serve"},
		Env: []string{
			"BOOKINGD_LISTEN=" + w.address, "BOOKINGD_INTERNAL_LISTEN=" + w.internal, "BOOKINGD_DATABASE_URL=" + w.tap.url,
			"BOOKINGD_PASS=off", "BOOKINGD_DEV_ISSUER=on", "BOOKINGD_ISSUER_KEY_FILE=" + filepath.Join(w.dir, "issuer.pem"),
			"BOOKINGD_TICKET_KEY_FILE=" + filepath.Join(w.dir, "ticket.pem"), "BOOKINGD_FAKEPAY_URL=" + w.bank,
			"BOOKINGD_FAKEPAY_WEBHOOK_SECRETS=" + webhookSecret, "BOOKINGD_HOLDS_PER_MINUTE=off", "BOOKINGD_PAYMENTS_PER_MINUTE=off",
		},
	})
	must0(w.t, err)
	must0(w.t, stack.Await(w.t.Context(), w.child, stack.Answers("http://"+w.internal+"/readyz")))
}

// buyer is an account with a seat in mind, and what it has got so far.
type buyer struct {
	w           *world
	token       string
	seat        int
	hold, order string
}

func (w *world) buyer() *buyer {
	w.t.Helper()
	w.seat++
	b := &buyer{w: w, seat: w.seat}
	var signedIn struct{ Token string }
	must0(w.t, json.Unmarshal(b.must(request{http.MethodPost, "/dev/token", map[string]any{"email": uuid.NewString() + "@example.com"}}, uuid.NewString()), &signedIn))
	b.token = signedIn.Token
	return b
}

type request struct {
	method, path string
	body         any
}

// send makes a request; an error is one that had no answer.
func (b *buyer) send(r request, key string) (status int, text []byte, err error) {
	var body bytes.Buffer
	if r.body != nil {
		must0(b.w.t, json.NewEncoder(&body).Encode(r.body))
	}
	req, err := http.NewRequestWithContext(b.w.t.Context(), r.method, "http://"+b.w.address+r.path, &body)
	must0(b.w.t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", key)
	if b.token != "" {
		req.Header.Set("Authorization", "Bearer "+b.token)
	}
	resp, err := b.w.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	text, err = io.ReadAll(resp.Body)
	return resp.StatusCode, text, err
}

// must is send with an answer that is a yes.
func (b *buyer) must(r request, key string) []byte {
	b.w.t.Helper()
	status, text, err := b.send(r, key)
	if err != nil || status/100 != 2 {
		b.w.t.Fatalf("%s %s: %d, %v: %s\n%s", r.method, r.path, status, err, text, b.w.child.Tail())
	}
	return text
}

func (b *buyer) wantHold() request {
	return request{http.MethodPost, "/v1/events/show/holds", map[string]any{"seats": []int{b.seat}}}
}

func (b *buyer) wantOrder() request {
	return request{http.MethodPost, "/v1/events/show/orders", map[string]any{"hold": b.hold}}
}

func (b *buyer) wantPay() request {
	return request{http.MethodPost, "/v1/orders/" + b.order + "/payments", map[string]any{"card_token": fakepay.TokenOK}}
}

func (b *buyer) holds() {
	b.w.t.Helper()
	b.hold = idOf(b.w.t, b.must(b.wantHold(), uuid.NewString()))
}

func (b *buyer) orders() {
	b.w.t.Helper()
	b.holds()
	b.order = idOf(b.w.t, b.must(b.wantOrder(), uuid.NewString()))
}

func (b *buyer) pays() {
	b.w.t.Helper()
	b.orders()
	b.must(b.wantPay(), uuid.NewString())
	b.w.until("the order is paid", func() bool { return b.state() == "captured" })
}

func idOf(t *testing.T, text []byte) string {
	t.Helper()
	var v struct{ ID string }
	if err := json.Unmarshal(text, &v); err != nil || v.ID == "" {
		t.Fatalf("no id: %v: %s", err, text)
	}
	return v.ID
}

// uuidOf is the order's id without its event.
func (b *buyer) uuidOf() string { return b.order[strings.Index(b.order, "-")+1:] }

// state is the order's, read past bookingd.
func (b *buyer) state() string {
	return one[string](b.w, `SELECT state FROM orders WHERE id = $1::uuid`, b.uuidOf())
}

// payments are the provider's of this order.
func (b *buyer) payments() (mine []check.Payment) {
	b.w.t.Helper()
	all, err := check.LoadPayments(b.w.t.Context(), b.w.bank)
	must0(b.w.t, err)
	for _, p := range all {
		id := p.Reference[strings.Index(p.Reference, "-")+1:]
		if one[int](b.w, `SELECT count(*) FROM attempt WHERE id = $1::uuid AND order_id = $2::uuid`, id, b.uuidOf()) == 1 {
			mine = append(mine, p)
		}
	}
	return mine
}

func one[T any](w *world, sql string, args ...any) (v T) {
	w.t.Helper()
	must0(w.t, w.db.Pool.QueryRow(w.t.Context(), sql, args...).Scan(&v))
	return v
}

// leasesOver stands for the seconds after which the next process may touch what the dead one had claimed.
func (w *world) leasesOver() {
	w.t.Helper()
	w.db.Owner(w.t, `UPDATE attempt SET next_at = now() WHERE next_at > now() AND phase <> 'abandoned'`)
	w.db.Owner(w.t, `UPDATE refund SET next_at = now() WHERE next_at > now() AND state = 'reserved'`)
}

func (w *world) until(what string, f func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if f() {
			return
		}
	}
	w.t.Fatalf("%s: not within %s; the end of the log:\n%s", what, patience, w.child.Tail())
}

// judged recomputes every promise from the rows and the provider's list.
func (w *world) judged() {
	w.t.Helper()
	ctx := w.t.Context()
	must0(w.t, check.WaitQuiet(ctx, w.db.Pool, patience))
	broken, err := booking.CheckInvariants(ctx, w.db.Pool)
	must0(w.t, err)
	for _, f := range broken {
		w.t.Error(f)
	}
	list, err := check.Select("B1,L1,L2,P1,P3")
	must0(w.t, err)
	payments, err := check.LoadPayments(ctx, w.bank)
	must0(w.t, err)
	found, err := check.Run(ctx, list, &check.Evidence{DB: w.db.Pool, Payments: payments})
	must0(w.t, err)
	for _, f := range found {
		w.t.Errorf("%s: %s %v", f.Invariant, f.What, f.Evidence)
	}
}

// must0 is for what has to work for the test to be one.
func must0(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
