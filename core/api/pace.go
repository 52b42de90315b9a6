package api

import (
	"net/http"
	"net/netip"
	"time"

	"github.com/ropeline/ropeline/core/api/throttle"
	"github.com/ropeline/ropeline/core/problem"
)

// pace names what of a route is counted; routes with the same pace share their count.
type pace uint8

const (
	unpaced pace = iota
	holding
	paying
)

// Paces bound how often a buyer may try, refused tries of other kinds included. A
// device is the pass of the waiting room: one visitor, whoever signs in.
type Paces struct {
	Account, Device, Prefix throttle.Limit
}

// PacesOf gives limits a minute for one buyer and for one network; a third of them
// may come at once. 0 is no limit.
func PacesOf(buyer, network int) Paces {
	of := func(n int) throttle.Limit { return throttle.Limit{PerMinute: n, Burst: (n + 2) / 3} }
	return Paces{Account: of(buyer), Device: of(buyer), Prefix: of(network)}
}

// pacedCallers is how many callers are remembered: 2 MB for each pace.
const pacedCallers = 1 << 17

var errTooOften = problem.New(http.StatusTooManyRequests, "too_many_attempts", "That was too often in a short time. Nothing was changed; please wait a moment.")

// pacer counts the tries of one pace.
type pacer struct {
	limits Paces
	table  *throttle.Table
}

func newPacer(l Paces) *pacer { return &pacer{l, throttle.New(pacedCallers)} }

// what is counted, as keys of one table.
type (
	accountKey int64
	deviceKey  string
	prefixKey  netip.Prefix
)

// try counts one attempt. Who is over a limit is refused before the engine hears of
// it, and the others are not charged for it: the account comes first, since it is the
// one that honest neighbours do not share.
func (p *pacer) try(account int64, device string, client netip.Addr, own bool, now time.Time) error {
	wait := throttle.Try(p.table, accountKey(account), p.limits.Account, now)
	by := "account"
	if wait == 0 && device != "" {
		wait, by = throttle.Try(p.table, deviceKey(device), p.limits.Device, now), "device"
	}
	if wait == 0 && client.IsValid() && !own {
		wait, by = throttle.Try(p.table, prefixKey(prefixOf(client)), p.limits.Prefix, now), "network"
	}
	if wait == 0 {
		return nil
	}
	err := errTooOften.With("limit", by)
	err.RetryAfter = wait
	return err
}

// prefixOf is what one person has of addresses: a /24, or the /56 that a home gets.
func prefixOf(a netip.Addr) netip.Prefix {
	bits := 24
	if a.Is6() {
		bits = 56
	}
	p, _ := a.Prefix(bits) // the bits are within the address
	return p
}

// checkPace refuses a buyer who tries too often. Addresses of our own proxies are
// nobody's network: whoever stands behind one without being written down there is
// counted by account and device alone.
func (a *API) checkPace(rt *route, r *http.Request, c *call) error {
	p := a.pacers[rt.pace]
	if p == nil {
		return nil
	}
	client := a.proxies.client(r)
	return p.try(c.account, c.device, client, a.proxies.trust(client), a.now())
}
