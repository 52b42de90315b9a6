package booking

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/order"
	"github.com/ropeline/ropeline/core/payment"
	"github.com/ropeline/ropeline/core/payment/fakepay"
	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/problem"
	"github.com/ropeline/ropeline/core/ticket"
)

const webhookSecret = "whsec-of-the-test"

// shop is a sale with a till: a real fakepay server over HTTP, whose webhooks come
// back over HTTP too.
type shop struct {
	*sale
	bank    string // address of the fakepay server
	hooks   string // where webhooks go
	spec    saleSpec
	longest time.Duration
	mode    string // of the provider: "" is two_step
	stop    func() // of the running engine
	process *Engine
}

// newShop opens a shop whose loops run.
func newShop(t *testing.T, s saleSpec) *shop {
	t.Helper()
	x := &shop{sale: newSale(t, s), spec: s, longest: time.Hour}
	hooks := httptest.NewServer(http.HandlerFunc(x.webhook))
	if strings.Contains(s.contract, "one_step") {
		x.mode = "one_step"
	}
	bank, err := fakepay.New(fakepay.Options{WebhookURL: hooks.URL, WebhookSecret: webhookSecret, SlowCard: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	api := httptest.NewServer(bank)
	x.bank, x.hooks = api.URL, hooks.URL
	x.control(fakepay.Control{})
	t.Cleanup(func() {
		x.close()
		api.CloseClientConnections()
		api.Close()
		if err := bank.Close(); err != nil {
			t.Error(err)
		}
		hooks.Close()
	})
	x.open(x.db.DB)
	return x
}

// till gives an engine the means to take money.
func (x *shop) till() Deps {
	client, err := fakepay.NewClient(fakepay.ClientConfig{
		URL: x.bank, PublicURL: "/fakepay", Secrets: []string{webhookSecret, "the one before"},
		LongestProcessing: x.longest, Deadline: 2 * time.Second,
		PerSecond: map[bool]float64{true: contractLimit}[strings.Contains(x.spec.contract, "limited")],
		OneStep:   strings.Contains(x.spec.contract, "one_step"), NoKeys: x.noKeys(),
	})
	if err != nil {
		x.t.Fatal(err)
	}
	x.t.Cleanup(client.Close)
	d := Deps{
		Providers: []payment.Provider{client},
		Tickets:   ticket.NewSigner(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))),
	}
	if testing.Verbose() {
		d.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	return d
}

// open starts an engine as a new process would: nothing but the database is left of
// the one before.
func (x *shop) open(db *pg.DB) {
	x.t.Helper()
	x.shut(db)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	e := x.process
	go func() { defer close(ended); _ = e.Run(ctx) }()
	x.stop = func() { cancel(); <-ended }
}

// shut makes an engine whose loops do not run.
func (x *shop) shut(db *pg.DB) {
	x.t.Helper()
	x.close()
	e, err := New(x.spec.config, db, x.till())
	if err != nil {
		x.t.Fatal(err)
	}
	x.e, x.process = e, e
}

func (x *shop) close() {
	if x.stop != nil {
		x.stop()
		x.stop = nil
	}
}

// webhook is what the API does with one.
func (x *shop) webhook(w http.ResponseWriter, r *http.Request) {
	b, err := io.ReadAll(io.LimitReader(r.Body, 4<<20))
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if err := x.e.ReceiveWebhook(r.Context(), "fakepay", r.Header, b); err != nil {
		status := http.StatusInternalServerError
		if p := problem.As(err); p != nil {
			status = p.Status
		}
		w.WriteHeader(status)
	}
}

// control switches the provider's faults; the contract stays.
func (x *shop) control(c fakepay.Control) {
	x.t.Helper()
	if c.Mode == "" {
		c.Mode = x.mode
	}
	c.NoKeys = x.noKeys()
	x.tell("/control", c)
}

func (x *shop) noKeys() bool { return strings.Contains(x.spec.contract, "no_keys") }

func (x *shop) fault(op, kind string, times int) {
	x.t.Helper()
	x.control(fakepay.Control{Faults: []fakepay.Fault{{Op: op, Kind: kind, Times: times, Delay: "10s"}}})
}

func (x *shop) tell(path string, v any) []byte {
	x.t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		x.t.Fatal(err)
	}
	res, err := http.Post(x.bank+path, "application/json", bytes.NewReader(b))
	if err != nil {
		x.t.Fatal(err)
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode/100 != 2 {
		x.t.Fatalf("%s: %d %s %v", path, res.StatusCode, out, err)
	}
	return out
}

// payments is the provider's own list: the truth we are compared with.
func (x *shop) payments() []fakepay.Payment {
	x.t.Helper()
	res, err := http.Get(x.bank + "/v1/payments")
	if err != nil {
		x.t.Fatal(err)
	}
	defer res.Body.Close()
	var page struct{ Payments []fakepay.Payment }
	if err := json.NewDecoder(res.Body).Decode(&page); err != nil {
		x.t.Fatal(err)
	}
	return page.Payments
}

func (x *shop) order(account int64, id uuid.UUID) (OrderView, error) {
	return orderOf(x.e.PlaceOrder(x.t.Context(), x.command(account), OrderRequest{Hold: id}))
}

func orderOf(a Answer, err error) (v OrderView, _ error) {
	if err != nil {
		return v, err
	}
	var wire struct {
		OrderView
		ID      string         `json:"id"`
		Payment map[string]any `json:"payment"`
		Tickets []any          `json:"tickets"`
	}
	if err := json.Unmarshal(a.Body, &wire); err != nil {
		return v, err
	}
	v = wire.OrderView
	v.ID, err = ParseRef(wire.ID)
	return v, err
}

func (x *shop) mustOrder(account int64, r HoldRequest) OrderView {
	x.t.Helper()
	h := x.mustHold(account, r)
	o, err := x.order(account, h.ID)
	if err != nil {
		x.t.Fatalf("order of hold %s: %v", h.ID, err)
	}
	return o
}

func (x *shop) pay(account int64, o OrderView, token string) error {
	_, err := orderOf(x.e.Pay(x.t.Context(), x.command(account), PayRequest{Order: o.ID, CardToken: token}))
	return err
}

func (x *shop) mustPay(account int64, o OrderView, token string) {
	x.t.Helper()
	if err := x.pay(account, o, token); err != nil {
		x.t.Fatalf("pay %s: %v", o.ID, err)
	}
}

func (x *shop) view(account int64, o OrderView) OrderView {
	x.t.Helper()
	v, err := x.e.OrderView(x.t.Context(), account, o.ID)
	if err != nil {
		x.t.Fatalf("view of %s: %v", o.ID, err)
	}
	return v
}

const paymentPatience = 30 * time.Second

// until polls until the order is as wanted; the time is only how long a hopeless
// test goes on.
func (x *shop) until(account int64, o OrderView, what string, ok func(OrderView) bool) OrderView {
	x.t.Helper()
	var v OrderView
	if !x.eventually(func() bool { v = x.view(account, o); return ok(v) }) {
		x.t.Fatalf("order never became %s: %+v payment %+v; provider: %+v", what, v, v.Payment, x.payments())
	}
	return v
}

func (x *shop) eventually(ok func() bool) bool {
	for end := time.Now().Add(paymentPatience); ; {
		if ok() {
			return true
		}
		if time.Now().After(end) {
			return false
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (x *shop) untilState(account int64, o OrderView, s order.State) OrderView {
	x.t.Helper()
	return x.until(account, o, string(s), func(v OrderView) bool { return v.State == s })
}

// settled waits until the provider shows what is wanted of the reference.
func (x *shop) settled(what string, ok func([]fakepay.Payment) bool) {
	x.t.Helper()
	if !x.eventually(func() bool { return ok(x.payments()) }) {
		x.t.Fatalf("the provider never showed %s: %+v", what, x.payments())
	}
}

// count reads a number.
func (x *shop) count(sql string, args ...any) (n int64) {
	x.t.Helper()
	if err := x.db.Pool.QueryRow(x.t.Context(), sql, args...).Scan(&n); err != nil {
		x.t.Fatalf("%s: %v", sql, err)
	}
	return n
}

// balance of an account, by its prefix.
func (x *shop) balance(prefix string) int64 {
	x.t.Helper()
	return x.count(`SELECT coalesce(sum(amount), 0)::bigint FROM posting WHERE account LIKE $1 || '%'`, prefix)
}

// books compares the ledger at quiet with the provider's own sums (L2).
func (x *shop) books() {
	x.t.Helper()
	x.settledBooks()
	var kept int64
	for _, p := range x.payments() {
		if p.Dispute != "lost" && p.Dispute != "open" {
			kept += p.Captured - p.Refunded
		}
	}
	if got := x.balance("clearing:"); got != kept {
		x.t.Errorf("clearing is %d, the provider holds %d", got, kept)
	}
	for _, a := range []string{"receivable:", "refunds_due", "dispute:"} {
		if b := x.balance(a); b != 0 {
			x.t.Errorf("%s is %d at quiet", a, b)
		}
	}
	if b := x.balance("payable:") + x.balance("revenue"); b != -kept {
		x.t.Errorf("payable and revenue are %d, kept is %d", b, kept)
	}
}

// settledBooks waits until nothing is under way.
func (x *shop) settledBooks() {
	x.t.Helper()
	ok := x.eventually(func() bool {
		return x.count(`SELECT count(*) FROM attempt WHERE phase IN ('created', 'sent', 'unknown')
		     OR (authorized > 0 AND captured = 0 AND NOT voided)`)+
			x.count(`SELECT count(*) FROM refund WHERE state = 'reserved'`)+
			x.count(`SELECT count(*) FROM webhook_inbox WHERE state = 'new'`) == 0
	})
	if !ok {
		x.t.Errorf("something is still under way; provider: %+v", x.payments())
	}
}

func TestASale(t *testing.T) {
	x := newShop(t, saleSpec{seats: 20, counters: []counterSpec{{"Floor", 10, 0}}})
	h := x.mustHold(1, HoldRequest{Seats: []int32{3, 4}, Places: places(1, 2).Places})
	o, err := x.order(1, h.ID)
	if err != nil {
		t.Fatal(err)
	}
	if o.State != order.Pending || o.Amount != 7000 || o.CardForm == "" || o.AttemptsLeft != MaxAttempts {
		t.Fatalf("%+v", o)
	}
	x.mustPay(1, o, fakepay.TokenOK)
	v := x.untilState(1, o, order.Captured)
	if v.Payment == nil || v.Payment.Reason != "" {
		t.Errorf("the payment of a paid order gives a reason: %+v", v.Payment)
	}
	if len(v.Tickets) != 4 {
		t.Fatalf("%d tickets: %+v", len(v.Tickets), v.Tickets)
	}
	for _, k := range v.Tickets {
		c, err := ticket.Verify([]ed25519.PublicKey{x.e.tickets.Public()}, k.Code)
		if err != nil || c.Ticket != k.ID.ID || c.Label != k.Label || k.State != "valid" {
			t.Fatalf("ticket %+v: %+v %v", k, c, err)
		}
	}
	if err := x.pay(1, o, fakepay.TokenOK); problem.As(err) == nil || problem.As(err).Code != "already_paid" {
		t.Fatalf("paid twice: %v", err)
	}
	x.books()
	if b := x.balance("revenue"); b != -350 {
		t.Fatalf("revenue %d", b)
	}
}
