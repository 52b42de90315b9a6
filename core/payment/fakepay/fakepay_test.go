package fakepay

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ropeline/ropeline/core/payment"
)

const secret = "whsec-test"

// start runs a server over HTTP and a client to it.
func start(t *testing.T, o Options) (*Client, string) {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	c, err := NewClient(ClientConfig{URL: h.URL, PublicURL: "/fakepay", Secrets: []string{secret}, Deadline: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		h.CloseClientConnections()
		h.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return c, h.URL
}

func post(t *testing.T, to, body string) []byte {
	t.Helper()
	res, err := http.Post(to, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusOK {
		t.Fatalf("POST %s: %d %s", to, res.StatusCode, b)
	}
	return b
}

func ask(ref, token string) payment.Authorization {
	return payment.Authorization{Reference: ref, Amount: 4200, Currency: "EUR", CardToken: token}
}

func TestLifeOfAPayment(t *testing.T) {
	c, _ := start(t, Options{})
	ctx := context.Background()
	if _, err := c.Lookup(ctx, "1-a"); !errors.Is(err, payment.ErrNotFound) {
		t.Fatalf("unknown reference: %v", err)
	}
	a, err := c.Authorize(ctx, ask("1-a", TokenOK))
	if err != nil || a.Facts != (payment.Facts{Authorized: 4200}) {
		t.Fatalf("authorize: %+v %v", a, err)
	}
	again, err := c.Authorize(ctx, ask("1-a", TokenOK))
	if err != nil || again.PaymentRef != a.PaymentRef {
		t.Fatalf("the same key made another payment: %+v %v", again, err)
	}
	cmd := payment.Command{PaymentRef: a.PaymentRef, Key: "k1", Amount: 4200}
	if r, err := c.Capture(ctx, cmd); err != nil || r.Facts.Captured != 4200 {
		t.Fatalf("capture: %+v %v", r, err)
	}
	var no *payment.Refused
	if _, err := c.Void(ctx, payment.Command{PaymentRef: a.PaymentRef, Key: "k2"}); !errors.As(err, &no) || no.Report.Facts.Captured != 4200 {
		t.Fatalf("void of a captured payment: %v", err)
	}
	if r, err := c.Refund(ctx, payment.Command{PaymentRef: a.PaymentRef, Key: "k3", Amount: 200}); err != nil || r.Facts.Refunded != 200 {
		t.Fatalf("refund: %+v %v", r, err)
	}
	if _, err := c.Refund(ctx, payment.Command{PaymentRef: a.PaymentRef, Key: "k4", Amount: 4001}); !errors.As(err, &no) {
		t.Fatalf("refund of more than is left: %v", err)
	}
	if r, err := c.Lookup(ctx, "1-a"); err != nil || r.Facts != (payment.Facts{Authorized: 4200, Captured: 4200, Refunded: 200}) {
		t.Fatalf("lookup: %+v %v", r, err)
	}
}

func TestDeclines(t *testing.T) {
	c, _ := start(t, Options{})
	for token, code := range map[string]string{TokenDeclined: "card_declined", TokenInsufficient: "insufficient_funds", "tok_stolen": "invalid_card_token"} {
		r, err := c.Authorize(context.Background(), ask("1-"+token, token))
		if err != nil || !r.Facts.Declined || r.Facts.Money() || r.Reason != code {
			t.Errorf("%s: %+v %v", token, r, err)
		}
	}
}

// TestFaults: after each fault the client says "we do not know", and a repeat
// with the same key ends with exactly one payment.
func TestFaults(t *testing.T) {
	c, at := start(t, Options{})
	ctx := context.Background()
	for _, f := range []Fault{
		{Kind: FaultTimeoutBefore, Delay: "10s"}, {Kind: FaultTimeoutAfter, Delay: "10s"}, {Kind: FaultDrop}, {Kind: FaultReset},
		{Kind: FaultHalf}, {Kind: Fault500}, {Kind: Fault500After}, {Kind: Fault429}, {Kind: FaultEmpty},
	} {
		t.Run(f.Kind, func(t *testing.T) {
			f.Op, f.Times = "authorize", 1
			body, _ := json.Marshal(Control{Faults: []Fault{f}})
			post(t, at+"/control", string(body))
			quick := *c
			quick.conf.Deadline = 200 * time.Millisecond
			ref := "9-" + f.Kind
			_, err := quick.Authorize(ctx, ask(ref, TokenOK))
			var no *payment.Refused
			if err == nil || errors.As(err, &no) || errors.Is(err, payment.ErrNotFound) {
				t.Fatalf("the client took a broken answer for one: %v", err)
			}
			r, err := c.Authorize(ctx, ask(ref, TokenOK))
			if err != nil || r.Facts.Authorized != 4200 {
				t.Fatalf("repeat: %+v %v", r, err)
			}
			n := 0
			for _, p := range listAll(t, at) {
				if p.Reference == ref {
					n++
				}
			}
			if n != 1 {
				t.Fatalf("%d payments for one key", n)
			}
		})
	}
}

func listAll(t *testing.T, at string) []Payment {
	t.Helper()
	res, err := http.Get(at + "/v1/payments")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var page struct{ Payments []Payment }
	if err := json.NewDecoder(res.Body).Decode(&page); err != nil {
		t.Fatal(err)
	}
	return page.Payments
}

func TestOneStep(t *testing.T) {
	c, at := start(t, Options{})
	post(t, at+"/control", `{"mode":"one_step"}`)
	r, err := c.Authorize(context.Background(), ask("1-a", TokenOK))
	if err != nil || r.Facts.Captured != 4200 {
		t.Fatalf("%+v %v", r, err)
	}
}

// TestRestartForgetsNothing: payments and answered keys live in the file, and a
// line cut by a crash is dropped.
func TestRestartForgetsNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "payments")
	var first string
	t.Run("before", func(t *testing.T) {
		c, _ := start(t, Options{DataFile: file})
		r, err := c.Authorize(context.Background(), ask("1-a", TokenOK))
		if err != nil {
			t.Fatal(err)
		}
		first = r.PaymentRef
	})
	appendTo(t, file, `{"payment":{"id":"pay_half`)
	c, at := start(t, Options{DataFile: file})
	r, err := c.Authorize(context.Background(), ask("1-a", TokenOK))
	if err != nil || r.PaymentRef != first {
		t.Fatalf("after the restart: %+v %v, want %s", r, err, first)
	}
	if n := len(listAll(t, at)); n != 1 {
		t.Fatalf("%d payments after the restart", n)
	}
}

// TestNotices: signed, retried until accepted, verified by the client (B29).
func TestNotices(t *testing.T) {
	type got struct {
		header http.Header
		body   []byte
	}
	notices := make(chan got, 10)
	var mu sync.Mutex
	refuse := 1
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		if refuse > 0 {
			refuse--
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		notices <- got{r.Header, b}
	}))
	defer shop.Close()
	c, _ := start(t, Options{WebhookURL: shop.URL, WebhookSecret: secret})
	a, err := c.Authorize(context.Background(), ask("1-a", TokenOK))
	if err != nil {
		t.Fatal(err)
	}
	g := <-notices
	n, err := c.ParseWebhook(g.header, g.body, time.Now())
	if err != nil || n.Report.PaymentRef != a.PaymentRef || n.Type != "payment.authorized" {
		t.Fatalf("%+v %v", n, err)
	}
}

func TestSignatures(t *testing.T) {
	body := []byte(`{"id":"evt_1","type":"payment.authorized","payment":{"id":"p","reference":"1-a","authorized":5}}`)
	c, err := NewClient(ClientConfig{URL: "http://127.0.0.1:1", Secrets: []string{"new", "old"}})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1_800_000_000, 0)
	spaced := strings.Replace(string(body), ",", ", ", 1)
	for name, tc := range map[string]struct {
		header, body string
		ok           bool
	}{
		"now":                 {Sign("new", now, body), string(body), true},
		"the secret before":   {Sign("old", now, body), string(body), true},
		"299 s ago":           {Sign("new", now.Add(-299*time.Second), body), string(body), true},
		"299 s ahead":         {Sign("new", now.Add(299*time.Second), body), string(body), true},
		"301 s ago":           {Sign("new", now.Add(-301*time.Second), body), string(body), false},
		"301 s ahead":         {Sign("new", now.Add(301*time.Second), body), string(body), false},
		"another secret":      {Sign("wrong", now, body), string(body), false},
		"white space changed": {Sign("new", now, body), spaced, false},
		"none":                {"", string(body), false},
		"stamp swapped":       {strings.Replace(Sign("new", now, body), "t=1800000000", "t=1800000001", 1), string(body), false},
		"two signatures":      {Sign("wrong", now, body) + "," + strings.Split(Sign("old", now, body), ",")[1], string(body), true},
	} {
		_, err := c.ParseWebhook(http.Header{SignatureHeader: {tc.header}}, []byte(tc.body), now)
		if (err == nil) != tc.ok || (err != nil && !errors.Is(err, payment.ErrSignature)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestContracts: without keys the same request is another payment; over the contract's
// limit nothing happens; a balance that is too low refuses refunds and nothing else.
func TestContracts(t *testing.T) {
	c, at := start(t, Options{})
	ctx := context.Background()
	post(t, at+"/control", `{"no_keys": true}`)
	for range 2 {
		if _, err := c.Authorize(ctx, ask("1-twice", TokenOK)); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(listAll(t, at)); n != 2 {
		t.Errorf("%d payments without keys, want 2", n)
	}
	post(t, at+"/control", `{"per_second": 1}`)
	var made, limited int
	for i := range 5 {
		_, err := c.Authorize(ctx, ask("1-limited"+string(rune('a'+i)), TokenOK))
		var no *payment.Refused
		switch {
		case err == nil:
			made++
		case errors.As(err, &no):
			t.Errorf("a limit is no refusal: %v", err)
		default:
			limited++
		}
	}
	if n := len(listAll(t, at)); made+limited != 5 || limited == 0 || n != 2+made {
		t.Errorf("%d made, %d limited, %d payments", made, limited, n)
	}
	post(t, at+"/control", `{"faults": [{"op": "refund", "kind": "no_balance", "times": 1}]}`)
	a, err := c.Authorize(ctx, ask("1-poor", TokenOK))
	if err != nil {
		t.Fatal(err)
	}
	cmd := payment.Command{PaymentRef: a.PaymentRef, Key: "p1", Amount: 4200}
	if _, err := c.Capture(ctx, cmd); err != nil {
		t.Fatal(err)
	}
	cmd.Key = "p2"
	var no *payment.Refused
	if _, err := c.Refund(ctx, cmd); !errors.As(err, &no) || no.Code != "insufficient_balance" || no.Report.Facts.Refunded != 0 {
		t.Errorf("refund without balance: %v", err)
	}
	if r, err := c.Refund(ctx, cmd); err != nil || r.Facts.Refunded != 4200 {
		t.Errorf("and with: %+v %v", r, err)
	}
}

// TestLatency is as skewed as that of real providers.
func TestLatency(t *testing.T) {
	s := &Server{opts: Options{P99: 3 * time.Second}}
	const n = 20_000
	over, under := 0, 0
	for range n {
		switch d := s.latency(); {
		case d > 3*time.Second:
			over++
		case d < 300*time.Millisecond:
			under++
		}
	}
	if over < n/200 || over > n/50 || under < n*2/5 {
		t.Errorf("%d of %d over the 99th percentile, %d under a tenth of it", over, n, under)
	}
	if d := (&Server{opts: Options{Latency: time.Second}}).latency(); d != time.Second {
		t.Errorf("a fixed latency is %s", d)
	}
}
