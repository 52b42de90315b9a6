package fakepay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Bounds on what a client may send.
const (
	maxBody      = 64 << 10
	maxReference = 200
	maxKey       = 255
	maxPage      = 1000
	maxAmount    = 1_000_000_000_00
	slowCard     = 10 * time.Second
)

// Options configure a Server. The zero value works: in memory, no webhooks.
type Options struct {
	WebhookURL    string        // where notices go; "" = nowhere
	WebhookSecret string        // signs them
	Latency       time.Duration // of every API call; with P99 the least
	P99           time.Duration // one call in a hundred takes longer than this; 0 = all take Latency
	DataFile      string        // keeps the payments over a restart; "" = memory only
	SlowCard      time.Duration // how long tok_slow takes; 0 = 10 s
	ReturnHosts   []string      // host[:port] of shops the card page may go back to, besides its own
	Log           *slog.Logger  // nil = discard
}

// Server is the provider. It is an http.Handler; Close it to stop its senders.
type Server struct {
	opts     Options
	memory   *memory
	controls controls
	hooks    *sender
	used     usedForms
	mux      *http.ServeMux
	stop     context.CancelFunc
	done     context.Context
	work     sync.WaitGroup // requests that go on after their client left
}

// New starts a provider with what its data file remembers.
func New(o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.SlowCard == 0 {
		o.SlowCard = slowCard
	}
	m, err := openMemory(o.DataFile)
	if err != nil {
		return nil, err
	}
	s := &Server{opts: o, memory: m, mux: http.NewServeMux()}
	s.done, s.stop = context.WithCancel(context.Background())
	if err := s.controls.replace(Control{}); err != nil {
		return nil, err
	}
	s.hooks = newSender(s.done, o, &s.controls)
	s.routes()
	return s, nil
}

func (s *Server) routes() {
	s.mux.HandleFunc("POST /v1/payments", s.api("authorize", s.authorize))
	s.mux.HandleFunc("GET /v1/payments", s.list)
	s.mux.HandleFunc("GET /v1/payments/{id}", s.show)
	s.mux.HandleFunc("POST /v1/payments/{id}/capture", s.api("capture", s.capture))
	s.mux.HandleFunc("POST /v1/payments/{id}/void", s.api("void", s.void))
	s.mux.HandleFunc("POST /v1/payments/{id}/refund", s.api("refund", s.refund))
	s.mux.HandleFunc("GET /v1/settlements", s.settlements)
	s.mux.HandleFunc("POST /control/payouts", s.payOut)
	s.mux.HandleFunc("GET /card", s.cardPage)
	s.mux.HandleFunc("POST /card", s.cardSubmit)
	s.mux.HandleFunc("GET /control", s.control)
	s.mux.HandleFunc("POST /control", s.control)
	s.mux.HandleFunc("DELETE /control", s.control)
	s.mux.HandleFunc("POST /control/webhooks", s.resend)
	s.mux.HandleFunc("POST /control/payments/{id}/{what}", s.elsewhere)
	s.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, 200, []byte(`{"ok":true}`)) })
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Close stops delivering notices and closes the data file. Notices not yet
// delivered are lost, as they would be if a real provider stopped trying.
func (s *Server) Close() error {
	s.stop()
	s.hooks.wait()
	s.work.Wait()
	return s.memory.close()
}

// show answers GET /v1/payments/{id}.
func (s *Server) show(w http.ResponseWriter, r *http.Request) {
	p := s.memory.get(r.PathValue("id"))
	ref := ""
	if p != nil {
		ref = p.Reference
	}
	if s.broken(w, r, s.controls.strike("lookup", ref)) {
		return
	}
	s.answerPayment(w, p)
}

func (s *Server) answerPayment(w http.ResponseWriter, p *Payment) {
	if p == nil {
		s.refuse(w, http.StatusNotFound, "not_found", "there is no such payment", nil)
		return
	}
	b, _ := json.Marshal(p)
	writeJSON(w, http.StatusOK, b)
}

// list answers GET /v1/payments: one by reference, or everything in pages.
func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Has("reference") {
		if s.broken(w, r, s.controls.strike("lookup", q.Get("reference"))) {
			return
		}
		s.answerPayment(w, s.memory.byReference(q.Get("reference")))
		return
	}
	limit := maxPage
	if v := q.Get("limit"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > maxPage {
			s.refuse(w, http.StatusUnprocessableEntity, "invalid_limit", fmt.Sprintf("limit: want 1 to %d", maxPage), nil)
			return
		}
		limit = n
	}
	// Ground truth for checkers: never faulted.
	page := s.memory.page(q.Get("after"), limit)
	b, _ := json.Marshal(map[string]any{"payments": page, "has_more": len(page) == limit})
	writeJSON(w, http.StatusOK, b)
}

// broken carries out a fault on a reading request; true if it answered.
func (s *Server) broken(w http.ResponseWriter, r *http.Request, f Fault) bool {
	s.pause(r.Context(), s.latency())
	switch f.Kind {
	case "":
		return false
	case FaultDelay:
		s.pause(r.Context(), f.delay)
		return false
	}
	s.misanswer(w, r, f, http.StatusOK, nil)
	return true
}

// misanswer ends a faulted request. status and body are what the right answer
// would have been.
func (s *Server) misanswer(w http.ResponseWriter, r *http.Request, f Fault, status int, body []byte) {
	switch f.Kind {
	case FaultTimeoutBefore, FaultTimeoutAfter:
		s.pause(r.Context(), f.delay)
		panic(http.ErrAbortHandler)
	case FaultDrop, FaultReset:
		panic(http.ErrAbortHandler)
	case FaultHalf:
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)+2))
		w.WriteHeader(status)
		_, _ = w.Write(body[:len(body)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	case FaultEmpty:
		w.WriteHeader(http.StatusOK)
	case Fault429:
		w.Header().Set("Retry-After", "1")
		s.refuse(w, http.StatusTooManyRequests, "rate_limited", "too many requests", nil)
	default:
		s.refuse(w, http.StatusInternalServerError, "internal", "something broke here", nil)
	}
}

// pause waits for d, for the client to leave, or for the server to stop.
func (s *Server) pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	case <-s.done.Done():
	}
}

func (s *Server) refuse(w http.ResponseWriter, status int, code, message string, p *Payment) {
	writeJSON(w, status, refusal(code, message, p))
}

func refusal(code, message string, p *Payment) []byte {
	var e apiError
	e.Error.Code, e.Error.Message, e.Payment = code, message, p
	b, _ := json.Marshal(e)
	return b
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// decode reads one JSON object, strictly.
func decode(w http.ResponseWriter, r *http.Request, into any) error {
	if ct := r.Header.Get("Content-Type"); ct != "" && !strings.HasPrefix(ct, "application/json") {
		return fmt.Errorf("Content-Type %q: want application/json", ct)
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("body: %w", err)
	}
	if d.More() {
		return errors.New("body: more than one JSON value")
	}
	return nil
}
