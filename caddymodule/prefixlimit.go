package caddymodule

import (
	"fmt"
	"hash/maphash"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/ropeline/ropeline/admission/line"
)

const (
	prefixSlots = 1 << 20 // 8 MB a process, whatever the crowd
	// Room for a burst: a school class or a mobile network's address arrives at once, and is not a robot for that.
	joinBurst = 5 * time.Minute
	// What one address may send of tokens that were never signed here.
	forgedEvery = 50 * time.Millisecond
	forgedBurst = 10 * time.Second
	// defaultJoinLimit is per single address; see README for the wider prefixes.
	defaultJoinLimit = "300/min"
)

// prefixTable is a generic cell rate algorithm over prefixes on a fixed table. Two prefixes that share a cell by
// chance share an allowance; with a random seed nobody can choose whose.
type prefixTable struct{ tat [prefixSlots]atomic.Int64 }

var (
	prefixes   prefixTable
	prefixSeed = maphash.MakeSeed()
)

func (t *prefixTable) cell(room, kind string, p netip.Prefix) *atomic.Int64 {
	var h maphash.Hash
	h.SetSeed(prefixSeed)
	_, _ = h.WriteString(room + "\x00" + kind + "\x00")
	b := p.Addr().As16()
	_, _ = h.Write(append(b[:], byte(p.Bits())))
	return &t.tat[h.Sum64()%prefixSlots]
}

// free says how long until one more fits; 0: it does.
func free(cell *atomic.Int64, now time.Time, every, burst time.Duration) time.Duration {
	return max(0, time.Duration(max(cell.Load(), now.UnixNano())+int64(every)-now.UnixNano())-burst)
}

func spend(cell *atomic.Int64, now time.Time, every time.Duration) {
	for {
		old := cell.Load()
		if cell.CompareAndSwap(old, max(old, now.UnixNano())+int64(every)) {
			return
		}
	}
}

// width is a prefix length and how many times a single address's allowance it gets.
type width struct{ bits, times int }

var (
	widths4 = []width{{32, 1}, {24, 16}}
	widths6 = []width{{64, 1}, {56, 4}, {48, 16}}
)

// visitorAddr is the client's address as Caddy knows it by trusted_proxies. Private addresses are not limited: seen
// from a balancer that nobody has named to Caddy, the whole crowd would come from one of them.
func visitorAddr(r *http.Request) (netip.Addr, bool) {
	ip, _ := caddyhttp.GetVar(r.Context(), caddyhttp.ClientIPVarKey).(string)
	a, err := netip.ParseAddr(ip)
	if err != nil {
		return a, false
	}
	a = a.Unmap().WithZone("")
	return a, !a.IsLoopback() && !a.IsPrivate() && !a.IsLinkLocalUnicast() && !a.IsUnspecified()
}

func prefixesOf(a netip.Addr) ([]width, func(int) netip.Prefix) {
	w := widths6
	if a.Is4() {
		w = widths4
	}
	return w, func(bits int) netip.Prefix { p, _ := a.Prefix(bits); return p }
}

// streamPrefix is what is counted of an address when it keeps connections open.
func streamPrefix(r *http.Request) netip.Prefix {
	a, limited := visitorAddr(r)
	if !limited {
		return netip.Prefix{}
	}
	ws, prefix := prefixesOf(a)
	return prefix(ws[0].bits)
}

// tooMany refuses a newcomer whose prefix has taken more places than join_limit says. It spends only when all widths
// agree.
type tooMany struct{ retry time.Duration }

func (e tooMany) Error() string {
	return fmt.Sprintf("too many joins from this prefix, again in %s", e.retry)
}

func (h *Handler) joinAllowed(r *http.Request, now time.Time) error {
	gap := h.room.joinGap.Load()
	a, limited := visitorAddr(r)
	if gap <= 0 || !limited {
		return nil
	}
	ws, prefix := prefixesOf(a)
	for _, w := range ws {
		if d := free(prefixes.cell(h.Room, "join", prefix(w.bits)), now, time.Duration(gap)/time.Duration(w.times), joinBurst); d > 0 {
			joinsLimited.WithLabelValues(h.Room).Inc()
			return tooMany{d}
		}
	}
	for _, w := range ws {
		spend(prefixes.cell(h.Room, "join", prefix(w.bits)), now, time.Duration(gap)/time.Duration(w.times))
	}
	return nil
}

// forgedTooOften says that an address has sent so many made-up tokens that none of its is worth a signature check now.
func (h *Handler) forgedTooOften(r *http.Request, now time.Time) bool {
	a, limited := visitorAddr(r)
	if !limited {
		return false
	}
	ws, prefix := prefixesOf(a)
	return free(prefixes.cell(h.Room, "forged", prefix(ws[0].bits)), now, forgedEvery, forgedBurst) > 0
}

// forgedNow counts the made-up tokens of a request without a single genuine one. Beside a genuine one they cost their
// sender's address nothing: somebody has planted them.
func (h *Handler) forgedNow(r *http.Request, now time.Time, n int) {
	if a, limited := visitorAddr(r); limited {
		ws, prefix := prefixesOf(a)
		spend(prefixes.cell(h.Room, "forged", prefix(ws[0].bits)), now, time.Duration(n)*forgedEvery)
	}
}

// joinGap is the time between two joins of one address; 0: no limit.
func joinGap(limit string) (time.Duration, error) {
	switch limit {
	case "":
		limit = defaultJoinLimit
	case "off":
		return 0, nil
	}
	rate, err := line.ParseRate(limit)
	if err != nil || rate.Gap() <= 0 {
		return 0, fmt.Errorf("join_limit %q: write how many may join from one address, for example %s, or off", limit, defaultJoinLimit)
	}
	return time.Duration(rate.Gap()) * time.Microsecond, nil
}
