package buyer

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"
)

// buyer is one person.
type buyer struct {
	*crowd
	*client
	rng       *rand.Rand
	duplicate bool
	place     int64 // in the line; -1 while unknown
	renewed   time.Time
}

func (c *crowd) newBuyer(id int) *buyer {
	b := &buyer{crowd: c, client: c.newClient(id), rng: rand.New(rand.NewPCG(c.Seed, uint64(id))), place: -1}
	b.duplicate = b.chance(c.Shares.Duplicate)
	return b
}

// day is everything one buyer does.
func (b *buyer) day(ctx context.Context) Outcome {
	if !sleep(ctx, time.Until(b.arrival())) {
		return TimeIsUp
	}
	if !b.signIn(ctx) {
		return b.end(ctx, Refused)
	}
	switch in, how := b.queue(ctx); {
	case how != "":
		return b.end(ctx, how)
	case !in:
		return b.end(ctx, TimeIsUp)
	}
	how := b.shop(ctx)
	if how != WalkedAway { // who walks away closes the browser and tells nobody
		b.do(context.WithoutCancel(ctx), request{f: "leave", method: http.MethodPost, path: b.reserved + "leave"})
	}
	return b.end(ctx, how)
}

// end prefers the simplest reason: after the time limit every failure is that.
func (b *buyer) end(ctx context.Context, how Outcome) Outcome {
	if how == Refused && ctx.Err() != nil {
		return TimeIsUp
	}
	return how
}

// arrival spreads the early ones over the time before the opening, so that nobody
// misses the draw by our own slowness, and the others over the time after it.
func (b *buyer) arrival() time.Time {
	now := time.Now()
	if !b.chance(b.Early) {
		return b.opens.Add(b.upTo(b.LateFor))
	}
	const margin = time.Second // sign-in and first page must be through by then
	if left := b.opens.Sub(now) - margin; left > 0 {
		return now.Add(b.upTo(min(left, b.EarlyFor)))
	}
	return now.Add(b.upTo(b.EarlyFor))
}

// signIn gets a bearer token from the development issuer. Signing in is the shop's own errand, not the crowd's: a bounded
// number do it at once, and whoever is told to come back later does, as an honest client would.
func (b *buyer) signIn(ctx context.Context) bool {
	email := fmt.Sprintf("buyer-%d-%d@example.org", b.Seed, b.client.id)
	select {
	case b.signing <- struct{}{}:
		defer func() { <-b.signing }()
	case <-ctx.Done():
		return false
	}
	for try := 1; ; try++ {
		r := b.do(ctx, request{f: "sign_in", method: http.MethodPost, path: "/dev/token", body: map[string]string{"email": email}})
		var doc struct{ Token string }
		r.decode(&doc)
		if r.good() && doc.Token != "" {
			b.account = doc.Token
			return true
		}
		if try == maxAttempts || r.retryAfter <= 0 || !sleep(ctx, r.retryAfter+b.upTo(r.retryAfter)) {
			b.refusal("sign_in", r)
			return false
		}
	}
}

func (b *buyer) chance(share float64) bool { return b.rng.Float64() < share }

// upTo draws a time below d.
func (b *buyer) upTo(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	return time.Duration(b.rng.Int64N(int64(d)))
}

// between draws a time from low up to high.
func (b *buyer) between(low, high time.Duration) time.Duration { return low + b.upTo(high-low) }

// newKey is an Idempotency-Key; the same seed draws the same ones.
func (b *buyer) newKey() string { return fmt.Sprintf("%016x%016x", b.rng.Uint64(), b.rng.Uint64()) }
