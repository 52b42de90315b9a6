package api

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/ropeline/ropeline/core/booking"
	"github.com/ropeline/ropeline/core/pg"
)

// maxLogged bounds what of a stranger's words reaches the log.
const maxLogged = 512

type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	refusals *prometheus.CounterVec
	waited   *prometheus.HistogramVec
	shed     *prometheus.CounterVec
}

// newMetrics: labels are names of our table and our codes, never a visitor's words.
func newMetrics(r prometheus.Registerer) (*metrics, error) {
	const ns = "ropeline_api"
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: ns, Name: "requests_total",
			Help: "Requests by route and status."}, []string{"route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: ns, Name: "request_seconds",
			Help: "Time to answer by route.", Buckets: prometheus.ExponentialBuckets(0.001, 2, 14)}, []string{"route"}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: ns, Name: "refusals_total",
			Help: "Refusals by route and code."}, []string{"route", "code"}),
		waited: prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: ns, Name: "inside_wait_seconds",
			Help: "Time that holds and payments stood in the line inside.", Buckets: []float64{0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 15, 20, 25}}, []string{"route"}),
		shed: prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: ns, Name: "shed_total",
			Help: "Requests that were left out so that buying goes on, by what they were for (stream, search)."}, []string{"what"}),
	}
	for _, c := range []prometheus.Collector{m.requests, m.seconds, m.refusals, m.waited, m.shed} {
		if err := r.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// observation is what one request leaves behind; handlers fill it in.
type observation struct {
	id      string
	route   string // name in the table; "pages" or "unknown" outside of it
	code    string // of the refusal
	account int64
}

type observationKey struct{}

// observed is the request's observation; one that leads nowhere outside of observe.
func observed(r *http.Request) *observation {
	if o, ok := r.Context().Value(observationKey{}).(*observation); ok {
		return o
	}
	return &observation{id: "none", route: "unknown"}
}

var idText = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// newRequestID: ours always. An id taken from a header would let a stranger write
// into our log under somebody else's.
func newRequestID() string {
	var b [10]byte
	_, _ = rand.Read(b[:]) // never fails
	return idText.EncodeToString(b[:])
}

// observe gives the request an id, answers panics, logs and counts.
func (a *API) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		o := &observation{id: newRequestID(), route: "unknown"}
		ctx := context.WithValue(r.Context(), observationKey{}, o)
		if a.outside(r) {
			ctx = pg.Aside(ctx)
		}
		r = r.WithContext(ctx)
		rec := &recorder{ResponseWriter: w}
		w.Header().Set("X-Request-Id", o.id)
		defer func() {
			if v := recover(); v != nil {
				if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
					panic(v)
				}
				a.log.Error("panic", "request_id", o.id, "route", o.route, "panic", v, "stack", string(debug.Stack()))
				if rec.status == 0 {
					refuse(rec, r, a.log, errInternal)
				}
			}
			a.finish(r, rec, o, time.Since(began))
		}()
		if err := checkLimits(r); err != nil {
			refuse(rec, r, a.log, err)
			return
		}
		next.ServeHTTP(rec, r)
	})
}

// finish writes the access log: no query (it may hold a card token), no headers.
func (a *API) finish(r *http.Request, rec *recorder, o *observation, took time.Duration) {
	status := rec.status
	if status == 0 {
		status = http.StatusOK
	}
	a.completed.count(r, o.route, status, a.passes != nil)
	a.metrics.requests.WithLabelValues(o.route, strconv.Itoa(status)).Inc()
	a.metrics.seconds.WithLabelValues(o.route).Observe(took.Seconds())
	if o.code != "" {
		a.metrics.refusals.WithLabelValues(o.route, o.code).Inc()
	}
	path := r.URL.Path
	if len(path) > maxLogged {
		path = path[:maxLogged]
	}
	level := slog.LevelInfo
	if status >= http.StatusInternalServerError && o.code != booking.ErrPaymentsOff.Code { // as in refuse
		level = slog.LevelError
	}
	a.log.LogAttrs(r.Context(), level, "request", slog.String("request_id", o.id), slog.String("method", clip(r.Method)), slog.String("route", o.route),
		slog.String("path", path), slog.Int("status", status), slog.String("code", o.code), slog.Int64("bytes", rec.bytes),
		slog.Duration("took", took), slog.String("client", a.proxies.client(r).String()), slog.Int64("account", o.account))
}

// recorder notes what was answered.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
