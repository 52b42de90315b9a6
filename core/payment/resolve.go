package payment

import "time"

const (
	// CallDeadline bounds one request to a provider. Longer means buyers watch a
	// spinner for nothing; shorter makes "unknown" the normal case on a slow day.
	CallDeadline = 5 * time.Second

	// NotFoundAfter and NotFoundTimes make an attempt abandoned: so many answers
	// "I do not know it", the last at least so long after the last sending. It
	// must be longer than the provider's longest processing time.
	NotFoundAfter = 15 * time.Minute
	NotFoundTimes = 3

	// DefaultLifetime is what card schemes give an authorization at most.
	DefaultLifetime = 31 * 24 * time.Hour
	// WatchEvery is the pace of asking about a payment that was given up.
	WatchEvery = 24 * time.Hour

	// maxAskGap is the pace of asking once the first questions brought nothing.
	maxAskGap = 30 * time.Second
)

// askAt are the moments after becoming unknown at which the provider is asked.
var askAt = []time.Duration{2 * time.Second, 5 * time.Second, 10 * time.Second, 20 * time.Second}

// AskDelay is the pause before question number checks (0 is the first), spread by
// +-20 % with r from [0,1): a provider coming back must not meet all of us at once.
func AskDelay(checks int, r float64) time.Duration {
	gap := maxAskGap
	switch {
	case checks <= 0:
		gap = askAt[0]
	case checks < len(askAt):
		gap = askAt[checks] - askAt[checks-1]
	}
	return Jitter(gap, r)
}

// RetryDelay is the pause before command number tries (capture, void, refund)
// is repeated: 1, 2, 4 ... 60 s. They are safe to repeat, and somebody waits.
func RetryDelay(tries int, r float64) time.Duration {
	gap := time.Minute
	if tries < 6 {
		gap = time.Second << max(tries, 0)
	}
	return Jitter(gap, r)
}

// Jitter spreads d by +-20 % with r from [0,1).
func Jitter(d time.Duration, r float64) time.Duration {
	return time.Duration(float64(d) * (0.8 + 0.4*r))
}

// Waiting is what the sender and the resolver look at before a byte leaves.
type Waiting struct {
	ForThis   bool // the order is verifying, this attempt is its current one, nothing is decided
	Undecided bool // nothing is decided about the attempt, whatever became of its order
	HoldAlive bool
	OnSale    bool
}

// MaySend says whether the first request of an attempt may leave. Otherwise it
// is abandoned, which is definite: nothing was ever sent, nobody is charged.
func MaySend(w Waiting) bool { return w.ForThis && w.HoldAlive && w.OnSale }

// MayRepeat says whether the same request may be sent again with the same key.
// At a provider without keys a repeat may charge twice, so it is only asked. At one
// that captures at once, only while the order waits. Two steps may be repeated for an
// order that stopped waiting too, as long as nothing is decided: what comes is voided,
// or pays places that are free again, and the buyer knows in seconds instead of after
// a quarter of an hour.
func MayRepeat(c Capabilities, w Waiting) bool {
	return c.Keys && (MaySend(w) || c.TwoStep && w.Undecided)
}

// Silence is how a provider has not known a payment so far.
type Silence struct {
	Times int           // answers "I do not know it", in a row
	For   time.Duration // over so long a time, in which it could be asked
	Since time.Time     // the last question, or the sending
}

// maxQuiet is what one answer adds at most. A provider that was away cannot have
// worked on the request meanwhile, nor do we know when it came back.
const maxQuiet = 2 * maxAskGap

// NotFound counts one more such answer at now.
func (s Silence) NotFound(now time.Time) Silence {
	return Silence{s.Times + 1, s.For + max(0, min(now.Sub(s.Since), maxQuiet)), now}
}

// NoAnswer: the question at now brought nothing, so the time since the last does not count.
func (s Silence) NoAnswer(now time.Time) Silence { return Silence{s.Times, s.For, now} }

// GiveUp says that "not found" has now been said often enough and for long enough.
func (s Silence) GiveUp(after time.Duration) bool { return s.Times >= NotFoundTimes && s.For >= after }
