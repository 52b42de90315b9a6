package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/deploy/stack"
)

// buyer is a client without a browser: it waits in line like everybody and has an account.
type buyer struct {
	t            *testing.T
	edge         string
	client       *http.Client
	ticket, pass string
	token        string
}

// newBuyer signs in and comes through the line.
func newBuyer(t *testing.T, s *stack.Stack, email string) *buyer {
	t.Helper()
	b := &buyer{t: t, edge: s.EdgeURL(), client: &http.Client{Timeout: time.Minute}}
	var signedIn struct{ Token string }
	if status, err := b.send(http.MethodPost, "/dev/token", map[string]string{"email": email}, &signedIn); err != nil || status/100 != 2 || signedIn.Token == "" {
		t.Fatalf("sign in: %d, %v", status, err)
	}
	b.token = signedIn.Token
	b.queue()
	return b
}

const line = "/.well-known/ropeline/" + stack.Room + "/"

// queue asks to enter as often as it is told to, until it is inside.
func (b *buyer) queue() {
	b.t.Helper()
	if _, err := b.send(http.MethodGet, "/v1/events", nil, nil); err != nil {
		b.t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		var a struct {
			State     string
			RetryInMS int64 `json:"retry_in_ms"`
		}
		status, err := b.send(http.MethodPost, line+"enter", nil, &a)
		if err != nil {
			b.t.Fatal(err)
		}
		if status == http.StatusOK && a.State == "in" {
			return
		}
		time.Sleep(min(max(time.Duration(a.RetryInMS)*time.Millisecond, 50*time.Millisecond), 2*time.Second)) // as the edge asks
	}
	b.t.Fatal("was not let in within a minute")
}

// send makes one request with everything the buyer has, keeps the ticket and the pass of the answer, and decodes a
// body into out, whatever the status.
func (b *buyer) send(method, path string, in, out any) (status int, err error) {
	return b.sendAs(method, path, uuid.NewString(), in, out)
}

// sendAs is send with an idempotency key of the caller's choice.
func (b *buyer) sendAs(method, path, key string, in, out any) (status int, err error) {
	var body bytes.Buffer
	if in != nil {
		if err := json.NewEncoder(&body).Encode(in); err != nil {
			return 0, err
		}
	}
	req, err := http.NewRequestWithContext(context.WithoutCancel(b.t.Context()), method, b.edge+path, &body)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Ropeline-Ticket", b.ticket)
	if b.pass != "" {
		req.Header.Set("Ropeline-Pass", b.pass)
	}
	if b.token != "" {
		req.Header.Set("Authorization", "Bearer "+b.token)
	}
	if method != http.MethodGet {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := b.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	if v := resp.Header.Get("Ropeline-Ticket"); v != "" {
		b.ticket = v
	}
	if v := resp.Header.Get("Ropeline-Pass"); v != "" {
		b.pass = v
	}
	if out != nil && len(text) > 0 {
		if err := json.Unmarshal(text, out); err != nil {
			return resp.StatusCode, fmt.Errorf("%s %s: %s: %w: %.300s", method, path, resp.Status, err, text)
		}
	}
	return resp.StatusCode, nil
}

// must is send with the status that has to come.
func (b *buyer) must(want int, method, path string, in, out any) {
	b.t.Helper()
	var raw json.RawMessage
	status, err := b.send(method, path, in, &raw)
	if err != nil {
		b.t.Fatal(err)
	}
	if status != want {
		b.t.Fatalf("%s %s: %d, want %d: %s", method, path, status, want, raw)
	}
	if out != nil {
		if err := json.Unmarshal(raw, out); err != nil {
			b.t.Fatalf("%s %s: %v: %s", method, path, err, raw)
		}
	}
}

type event struct {
	ID, Title string
	Geometry  *string
}

type order struct {
	ID, State, Reason string
	PaymentUnknown    bool  `json:"payment_unknown"`
	Amount            int64 // minor units
	Tickets           []struct{ ID, Code string }
}

type hold struct {
	ID, State string
}

// eventsOf asks the origin itself: what is on sale is no secret.
func eventsOf(t *testing.T, s *stack.Stack) []event {
	t.Helper()
	var list struct{ Events []event }
	get(t, s.BookingURL()+"/v1/events", &list)
	if len(list.Events) == 0 {
		t.Fatal("no events were imported")
	}
	return list.Events
}

func get(t *testing.T, address string, out any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, body := do(t, http.DefaultClient, req)
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %s: %s", address, resp.Status, body)
	}
	if err := json.Unmarshal([]byte(body), out); err != nil {
		t.Fatalf("GET %s: %v: %.300s", address, err, body)
	}
}

// steer is an operator's command to the room.
func steer(t *testing.T, s *stack.Stack, command string) {
	t.Helper()
	post(t, s.AdminURL()+"/ropeline/rooms/"+stack.Room+"/"+command, "{}")
}

func post(t *testing.T, address, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, text := do(t, http.DefaultClient, req)
	if resp.StatusCode/100 != 2 {
		t.Fatalf("POST %s: %s: %s", address, resp.Status, text)
	}
}
