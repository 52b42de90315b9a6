package page

import (
	"fmt"
	"strings"
	"time"
)

// span says a wait of low to high seconds in words; -1 is unknown. The script has the same rules.
func (t *table) span(low, high int64) string {
	say := func(key string, a, b int64) string {
		return strings.NewReplacer("{a}", t.number(a), "{b}", t.number(b)).Replace(t.texts[key].form(plural(t.lang, b)))
	}
	a, b := max(0, low)/60, (high+59)/60
	switch {
	case high < 0 && a < 1:
		return t.words["waitUnknown"]
	case high < 0:
		return say("waitAtLeast", 0, a)
	case high < 60:
		return t.words["waitUnder"]
	case b > 120:
		return say("waitHours", low/3600, (high+3599)/3600)
	case a < 1:
		return say("waitUpTo", 0, b)
	case a == b:
		return say("waitSame", a, b)
	}
	return say("waitRange", a, b)
}

// Stock is what can still be had. Its zero value says nothing.
type Stock struct {
	State     string // last_seats, all_held, sold_out; others are not told
	Available int64
	BackAt    time.Time // when the next hold may return; zero: nobody knows
}

// left says it. The script has the same rules.
func (t *table) left(s Stock, ahead int64, now time.Time) string {
	switch s.State {
	case "last_seats":
		return strings.NewReplacer("{n}", t.number(s.Available), "{a}", t.number(ahead)).Replace(t.words["leftSome"])
	case "all_held":
		if s.BackAt.After(now) {
			return t.words["leftHeld"] + " " + strings.ReplaceAll(t.words["leftBack"], "{c}", t.countdown(s.BackAt.Sub(now)))
		}
		return t.words["leftHeld"]
	case "sold_out":
		return t.words["sold_outText"]
	}
	return ""
}

// countdown is the time until something, hours only when there are any.
func (t *table) countdown(d time.Duration) string {
	s := max(0, int64((d+time.Second-1)/time.Second))
	if s >= 3600 {
		return t.native(fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60))
	}
	return t.native(fmt.Sprintf("%02d:%02d", s/60, s%60))
}

// drawSentence says which of the two statements about a draw holds, and names the public value's source.
func (t *table) drawSentence(source string) (sentence, named string) {
	if source != "" && source != "none" {
		return t.words["drawPublic"], source
	}
	return t.words["drawNone"], ""
}
