package stripe

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	sdk "github.com/stripe/stripe-go/v85"

	"github.com/ropeline/ropeline/core/payment"
)

// mockVersion is pinned here and not in go.mod: of its module nothing is compiled into
// our programs, and its many dependencies would stand in everybody's graph.
const mockVersion = "v0.203.0"

var listening = regexp.MustCompile(`Listening for HTTP at address: (\S+)`)

// mock runs the official stripe-mock, which checks every request against Stripe's own
// description of the API, and returns its address.
func mock(t *testing.T) string {
	t.Helper()
	bin, err := filepath.Abs("../../../.run/bin")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(bin, "stripe-mock-"+mockVersion)
	if _, err := os.Stat(program); err != nil {
		dir := t.TempDir()
		cmd := exec.CommandContext(t.Context(), "go", "install", "github.com/stripe/stripe-mock@"+mockVersion)
		cmd.Env, cmd.Dir = append(os.Environ(), "GOBIN="+dir, "GOFLAGS="), dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("stripe-mock %s could not be built (a Go module proxy must be reachable once): %v\n%s", mockVersion, err, out)
		}
		if err := os.MkdirAll(bin, 0o755); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(dir, "stripe-mock"))
		if err == nil {
			err = os.WriteFile(program+".new", b, 0o755)
		}
		if err == nil {
			err = os.Rename(program+".new", program) // whole, whoever else builds it at the same time
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program, "-http-addr", "127.0.0.1:0", "-https-addr", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	address := ""
	for address == "" && lines.Scan() {
		if m := listening.FindStringSubmatch(lines.Text()); m != nil {
			address = m[1]
		}
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		for lines.Scan() {
		}
	}()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-drained; _ = cmd.Wait() })
	if address == "" {
		t.Fatal("stripe-mock ended before it listened")
	}
	return "http://" + address
}

func client(t *testing.T, url string) *Client {
	t.Helper()
	c, err := New(Config{Key: "sk_test_123", Secrets: []string{"whsec_new", "whsec_old"}, CardPage: "/card", URL: url, Deadline: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestAgainstStripesOwnMock: every request we make is one that Stripe's description of
// its API accepts, and every answer of it is read.
func TestAgainstStripesOwnMock(t *testing.T) {
	c := client(t, mock(t))
	ctx := context.Background()
	a, err := c.Authorize(ctx, payment.Authorization{Reference: "1-7f2c1a54-0000-4000-8000-000000000000", Amount: 4200, Currency: "EUR", CardToken: "pm_card_visa"})
	if err != nil || a.PaymentRef == "" || a.Currency != "EUR" {
		t.Fatalf("authorize: %+v %v", a, err)
	}
	for name, call := range map[string]func() (payment.Report, error){
		"capture": func() (payment.Report, error) {
			return c.Capture(ctx, payment.Command{PaymentRef: a.PaymentRef, Key: "k1", Amount: 4200})
		},
		"void": func() (payment.Report, error) {
			return c.Void(ctx, payment.Command{PaymentRef: a.PaymentRef, Key: "k2"})
		},
		"refund": func() (payment.Report, error) {
			return c.Refund(ctx, payment.Command{PaymentRef: a.PaymentRef, Key: "k3", Amount: 100})
		},
		"lookup": func() (payment.Report, error) { return c.Lookup(ctx, "1-it's") },
	} {
		if r, err := call(); err != nil || r.PaymentRef == "" {
			t.Errorf("%s: %+v %v", name, r, err)
		}
	}
	rows := 0
	for m, err := range c.Settlement(ctx, time.Unix(0, 0), time.Now()) {
		if err != nil {
			t.Fatal(err)
		}
		if rows++; m.ID == "" || m.Currency == "" {
			t.Errorf("%+v", m)
		}
		if rows == 3 {
			break
		}
	}
	// The mock knows what a request must look like.
	if _, err := c.api.V1PaymentIntents.Create(ctx, &sdk.PaymentIntentCreateParams{Currency: sdk.String("eur")}); err == nil {
		t.Error("a request without amount passed")
	}
}

// TestOutOfReach is "we do not know", never a refusal.
func TestOutOfReach(t *testing.T) {
	c := client(t, "http://127.0.0.1:1")
	_, err := c.Capture(context.Background(), payment.Command{PaymentRef: "pi_1", Key: "k"})
	var no *payment.Refused
	if err == nil || errors.As(err, &no) || errors.Is(err, payment.ErrNotFound) {
		t.Errorf("%v", err)
	}
}
