package api

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ropeline/ropeline/admission/telemetry"
	"github.com/ropeline/ropeline/core/problem"
)

// completed counts what was carried out, by the kinds the admission controller tells apart. Only requests with a pass count:
// what they cost is then all that the database does, divided by what the edge sees of those it let in. Counted with the rest
// (an order that is polled outside the gate, a webhook) a person would look cheaper than one is.
type completed struct{ page, hold, pay, other atomic.Uint64 }

// outside: nobody whom the edge has let in is behind it. What a provider tells is about those who paid.
func (a *API) outside(r *http.Request) bool {
	return a.passes != nil && r.Header.Get(passHeader) == "" && !strings.HasPrefix(r.URL.Path, "/webhooks/")
}

// count takes a request that ended. A refusal by the rules is work done; what was turned away unseen is none.
func (c *completed) count(r *http.Request, route string, status int, passes bool) {
	if passes && r.Header.Get(passHeader) == "" {
		return
	}
	if status >= http.StatusInternalServerError || status == statusClosed || status == http.StatusTooManyRequests || status == http.StatusForbidden {
		return
	}
	switch {
	case route == "hold":
		c.hold.Add(1)
	case route == "pay":
		c.pay.Add(1)
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		c.page.Add(1)
	default:
		c.other.Add(1)
	}
}

var errTelemetry = problem.New(http.StatusForbidden, "telemetry_secret", "This is for the edges: ask from this machine, or with the secret of BOOKINGD_TELEMETRY_SECRETS as a bearer token.")

// Telemetry answers GET /telemetry of the internal listener: what package admission/telemetry describes. It tells how a sale
// goes, so from another machine one of the secrets is wanted; without any only this machine may ask.
func (a *API) Telemetry(instance string, secrets []string) http.Handler {
	started := time.Now().UTC()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !loopback(r.RemoteAddr) && !bears(r, secrets) {
			refuse(w, r, a.log, errTelemetry)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		doc := a.measure(r)
		doc.Instance, doc.StartedAt = instance, started
		b, err := json.Marshal(doc)
		if err != nil {
			refuse(w, r, a.log, err)
			return
		}
		writeBytes(w, http.StatusOK, "application/json", b)
	})
}

// bears compares by hashes, in constant time whatever was sent and whichever it is.
func bears(r *http.Request, secrets []string) bool {
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	sum, same := sha256.Sum256([]byte(given)), 0
	for _, s := range secrets {
		is := sha256.Sum256([]byte(s))
		same |= subtle.ConstantTimeCompare(sum[:], is[:])
	}
	return ok && same == 1
}

func loopback(peer string) bool {
	host, _, err := net.SplitHostPort(peer)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// measure is the document without its head. Nothing of it but the stock is asked of the database, and that seldom.
func (a *API) measure(r *http.Request) telemetry.Answer {
	u, c := a.booking.Usage(), &a.completed
	wait, took := max(u.Database.Wait, u.Lanes.Wait).Seconds(), u.PaymentTook.Seconds()
	doc := telemetry.Answer{
		At: time.Now().UTC(),
		Resources: map[string]telemetry.Resource{
			"db": {
				BusySeconds: u.Database.Busy.Seconds(), Capacity: u.Database.Capacity,
				Waiting: float64(u.Database.Waiting + a.waiting(holding)),
				Completed: map[string]float64{"page": float64(c.page.Load()), "hold": float64(c.hold.Load()), "pay": float64(c.pay.Load()),
					"confirm": float64(u.Confirmed), "other": float64(c.other.Load())},
			},
			"lanes": {
				BusySeconds: u.Lanes.Busy.Seconds(), Capacity: u.Lanes.Capacity, Waiting: float64(a.waiting(holding)),
				Completed: map[string]float64{"hold": float64(c.hold.Load()), "pay": float64(c.pay.Load()), "confirm": float64(u.Confirmed)},
			},
			"payment": {
				BusySeconds: u.Payments.Busy.Seconds(), Capacity: u.PaymentSlots, Waiting: float64(a.waiting(paying)),
				Completed: map[string]float64{"pay": float64(u.Answered)},
			},
		},
		LockWait: &wait,
	}
	if u.PaymentCalls > 0 {
		doc.PaymentLatency = &took
	}
	s, ok, err := a.booking.Stock(r.Context())
	if err != nil {
		a.log.Warn("the stock could not be counted; telemetry goes on without", "err", err)
	}
	if ok && err == nil {
		doc.Stock = &telemetry.Stock{Available: s.Available, Held: s.Held, Sold: s.Sold, Total: s.Total, Expiring: s.Expiring}
	}
	return doc
}
