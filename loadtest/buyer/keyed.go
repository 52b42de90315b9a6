package buyer

import (
	"context"
	"time"
)

const retryPause = 300 * time.Millisecond

// keyed makes a call with an Idempotency-Key and repeats it with the same key as
// long as nobody knows its outcome or it was refused only for now. A buyer who
// presses twice sends the first one twice at once.
func (b *buyer) keyed(ctx context.Context, q request) reply {
	q.key = b.newKey()
	var r reply
	if b.duplicate && q.f != "release" {
		r = b.twice(ctx, q)
	} else {
		r = b.do(ctx, q)
	}
	for range maxAttempts {
		if !unsettled(r) || !sleep(ctx, max(r.retryAfter, retryPause)) {
			return r
		}
		r = b.do(ctx, q)
	}
	return r
}

// unsettled says that the same key should be sent again.
func unsettled(r reply) bool {
	return r.Status == 0 || r.Status >= 500 || r.Code == "idempotency_in_progress"
}

// twice sends the same call two times at once and goes on with the better answer.
// That both may be good, and then must be the same bytes, is for the checks.
func (b *buyer) twice(ctx context.Context, q request) reply {
	second := make(chan reply, 1)
	go func() { second <- b.do(ctx, q) }()
	one := b.do(ctx, q)
	two := <-second
	switch {
	case one.good():
		return one
	case two.good() || unsettled(one):
		return two
	}
	return one
}
