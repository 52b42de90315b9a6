package fakepay

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/ropeline/ropeline/core/payment"
)

// SignatureHeader carries "t=<unix seconds>,v1=<hex>"; a second v1 is allowed
// while secrets rotate.
const SignatureHeader = "Fakepay-Signature"

// Sign makes the header's value for a body sent at t.
func Sign(secret string, t time.Time, body []byte) string {
	ts := strconv.FormatInt(t.Unix(), 10)
	return "t=" + ts + ",v1=" + hex.EncodeToString(payment.StampedMAC(secret, ts, body))
}

// notice is the body of a webhook.
type notice struct {
	ID      string    `json:"id"`
	Type    string    `json:"type"`
	Created time.Time `json:"created"`
	Payment Payment   `json:"payment"`
}

// Retries of a notice that was not answered with 2xx.
var retryAfter = []time.Duration{500 * time.Millisecond, 2 * time.Second, 5 * time.Second, 15 * time.Second, 30 * time.Second, time.Minute}

const (
	hookTimeout = 10 * time.Second
	hookWorkers = 16 // notices under way at once
)

// sender delivers notices in the background.
type sender struct {
	ctx      context.Context
	opts     Options
	controls *controls
	client   *http.Client
	slots    chan struct{}
	wg       sync.WaitGroup

	mu   sync.Mutex
	held []byte // with reorder: waits for the next one
}

func newSender(ctx context.Context, o Options, c *controls) *sender {
	return &sender{
		ctx: ctx, opts: o, controls: c, slots: make(chan struct{}, hookWorkers),
		client: &http.Client{
			Timeout:   hookTimeout,
			Transport: &http.Transport{MaxIdleConnsPerHost: hookWorkers, IdleConnTimeout: 30 * time.Second},
			// A receiver that redirects is misconfigured; a signed body is not carried elsewhere.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

func (s *sender) wait() {
	s.wg.Wait()
	s.client.CloseIdleConnections()
}

// enqueue sends a notice as the webhook setting says.
func (s *sender) enqueue(typ string, p Payment) {
	if s.opts.WebhookURL == "" {
		return
	}
	set := s.controls.webhooks()
	if set.Off {
		return
	}
	body, _ := json.Marshal(notice{ID: "evt_" + randomID(), Type: typ, Created: time.Now().UTC(), Payment: p})
	bodies := [][]byte{body}
	s.mu.Lock()
	switch {
	case set.Reorder && s.held == nil:
		s.held, bodies = body, nil
	case s.held != nil:
		bodies, s.held = append(bodies, s.held), nil
	}
	s.mu.Unlock()
	if len(bodies) == 2 { // in this order, one after the other
		s.run(set.delay, func() { s.deliver(bodies[0]); s.deliver(bodies[1]) })
		return
	}
	for _, b := range bodies {
		copies := set.Duplicate
		if set.DuplicateChance > 0 && rand.Float64() >= set.DuplicateChance {
			copies = 0
		}
		for range 1 + copies {
			s.run(set.delay, func() { s.deliver(b) })
		}
	}
}

func (s *sender) run(delay time.Duration, f func()) {
	if s.ctx.Err() != nil {
		return
	}
	s.wg.Go(func() {
		if s.sleep(delay) {
			f()
		}
	})
}

func (s *sender) sleep(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-s.ctx.Done():
		return false
	}
}

// deliver tries until the receiver says 2xx, the retries are used up, or we stop.
func (s *sender) deliver(body []byte) {
	for try := 0; ; try++ {
		status, err := s.post(body, Sign(s.opts.WebhookSecret, time.Now(), body))
		if err == nil && status/100 == 2 {
			return
		}
		s.opts.Log.Warn("webhook not accepted", "status", status, "error", err, "try", try+1)
		if try == len(retryAfter) || !s.sleep(retryAfter[try]) {
			return
		}
	}
}

func (s *sender) post(body []byte, signature string) (int, error) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	}
	req, err := http.NewRequestWithContext(s.ctx, http.MethodPost, s.opts.WebhookURL, bytes.NewReader(body))
	if err != nil {
		return 0, fmt.Errorf("fakepay: webhook request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(SignatureHeader, signature)
	res, err := s.client.Do(req)
	if err != nil {
		return 0, fmt.Errorf("fakepay: webhook: %w", err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, maxBody))
	return res.StatusCode, nil
}

// Resend is what POST /control/webhooks takes: a notice made by hand.
type Resend struct {
	Payment string `json:"payment"`        // id
	Type    string `json:"type,omitempty"` // default payment.<status>
	Event   string `json:"event,omitempty"`
	Times   int    `json:"times,omitempty"`  // copies of one and the same notice, in parallel; default 1
	Forge   bool   `json:"forge,omitempty"`  // sign with a wrong secret
	Offset  int    `json:"offset,omitempty"` // seconds added to the time stamp
	Raw     string `json:"raw,omitempty"`    // this body instead of a notice
}

const maxResend = 1000

// resend sends a notice now and answers with the statuses the receiver gave.
func (s *Server) resend(w http.ResponseWriter, r *http.Request) {
	var q Resend
	if err := decode(w, r, &q); err != nil {
		s.refuse(w, http.StatusBadRequest, "invalid_json", err.Error(), nil)
		return
	}
	p := s.memory.get(q.Payment)
	switch {
	case p == nil && q.Raw == "":
		s.refuse(w, http.StatusNotFound, "not_found", "there is no such payment", nil)
		return
	case s.opts.WebhookURL == "":
		s.refuse(w, http.StatusConflict, "no_webhook_url", "this server was started without a webhook address", nil)
		return
	case q.Times < 0 || q.Times > maxResend:
		s.refuse(w, http.StatusUnprocessableEntity, "invalid_times", fmt.Sprintf("times: 1 to %d", maxResend), nil)
		return
	}
	body := []byte(q.Raw)
	if q.Raw == "" {
		n := notice{ID: q.Event, Type: q.Type, Created: time.Now().UTC(), Payment: *p}
		if n.ID == "" {
			n.ID = "evt_" + randomID()
		}
		if n.Type == "" {
			n.Type = "payment." + p.Status
		}
		body, _ = json.Marshal(n)
	}
	secret := s.opts.WebhookSecret
	if q.Forge {
		secret += "-forged"
	}
	signature := Sign(secret, time.Now().Add(time.Duration(q.Offset)*time.Second), body)
	statuses := make([]int, max(1, q.Times))
	var wg sync.WaitGroup
	for i := range statuses {
		wg.Go(func() { statuses[i], _ = s.hooks.post(body, signature) }) // 0 = no answer
	}
	wg.Wait()
	b, _ := json.Marshal(map[string]any{"statuses": statuses})
	writeJSON(w, http.StatusOK, b)
}
