package line

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// MaxRate is the highest number of entries per second a room can be set to: one per microsecond of room time.
const MaxRate = 1_000_000

// Rate is how many visitors may enter per period, for example 20/s, 2000/min or 1000/10s. The zero Rate lets
// nobody in.
type Rate struct {
	Count int64
	Per   time.Duration
}

// ParseRate reads "20/s", "2000/min", "1000/10s", "100/h" or "0".
func ParseRate(s string) (Rate, error) {
	bad := func(why string) (Rate, error) {
		return Rate{}, fmt.Errorf("rate %q: %s (write entries per time, for example 20/s, 2000/min or 1000/10s)", s, why)
	}
	s = strings.TrimSpace(s)
	if s == "0" {
		return Rate{}, nil
	}
	count, unit, ok := strings.Cut(s, "/")
	if !ok {
		return bad("no slash")
	}
	n, err := strconv.ParseInt(strings.TrimSpace(count), 10, 64)
	if whole := wholeRate(strings.TrimSpace(count), strings.TrimSpace(unit)); err != nil && whole != "" {
		return bad("entries are whole: this one is " + whole)
	}
	if err != nil || n < 0 {
		return bad("the part before the slash is not a whole number of entries")
	}
	per, err := parsePeriod(strings.TrimSpace(unit))
	if err != nil || per <= 0 {
		return bad("the part after the slash is no time")
	}
	r := Rate{Count: n, Per: per}
	if r.PerSecond() > MaxRate {
		return bad(fmt.Sprintf("more than %d entries a second", MaxRate))
	}
	return r, nil
}

// wholeRate is 0.5 per s in whole entries, 1/2s; empty when it cannot be said so.
func wholeRate(count, unit string) string {
	const most = 4 // digits behind the point
	before, after, ok := strings.Cut(count, ".")
	per, err := parsePeriod(unit)
	if !ok || err != nil || per <= 0 || per > 24*time.Hour || len(before) > 7 || len(after) > most {
		return ""
	}
	n, err := strconv.ParseUint(before+after, 10, 63)
	if err != nil || n == 0 {
		return ""
	}
	scale := uint64(1)
	for range after {
		scale *= 10
	}
	a, b := n, scale
	for b > 0 {
		a, b = b, a%b
	}
	long := (per * time.Duration(scale/a)).String()
	if strings.HasSuffix(long, "m0s") {
		long = strings.TrimSuffix(long, "0s")
	}
	return fmt.Sprintf("%d/%s", n/a, long)
}

func parsePeriod(unit string) (time.Duration, error) {
	switch unit {
	case "s", "sec", "second":
		return time.Second, nil
	case "m", "min", "minute":
		return time.Minute, nil
	case "h", "hour":
		return time.Hour, nil
	}
	return time.ParseDuration(strings.TrimSuffix(unit, "in")) // "5min" is "5m"
}

// String gives the rate as ParseRate reads it.
func (r Rate) String() string {
	switch {
	case r.Count == 0 || r.Per <= 0:
		return "0"
	case r.Per == time.Second:
		return fmt.Sprintf("%d/s", r.Count)
	case r.Per == time.Minute:
		return fmt.Sprintf("%d/min", r.Count)
	case r.Per == time.Hour:
		return fmt.Sprintf("%d/h", r.Count)
	}
	return fmt.Sprintf("%d/%s", r.Count, r.Per)
}

// PerSecond is the rate in entries per second.
func (r Rate) PerSecond() float64 {
	if r.Per <= 0 {
		return 0
	}
	return float64(r.Count) / r.Per.Seconds()
}

// Gap is the least room time between two entries, in microseconds, rounded up so that the rate is never
// exceeded by rounding. Zero means that nobody enters.
func (r Rate) Gap() int64 {
	if r.Count <= 0 || r.Per <= 0 {
		return 0
	}
	per := r.Per.Microseconds()
	return max(1, (per+r.Count-1)/r.Count)
}

// rateOfGap is one entry a gap.
func rateOfGap(gap int64) Rate {
	if gap <= 0 {
		return Rate{}
	}
	return Rate{Count: 1, Per: time.Duration(gap) * time.Microsecond}
}

// MarshalText and UnmarshalText let a Rate stand in JSON as "20/s".
func (r Rate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText is ParseRate.
func (r *Rate) UnmarshalText(b []byte) (err error) {
	*r, err = ParseRate(string(b))
	return err
}
