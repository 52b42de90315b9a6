package page

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"
)

const fallback = "en"

// pick is the best language we have for an Accept-Language header.
func pick(accept string) string {
	type want struct {
		lang string
		q    float64
	}
	var wants []want
	if len(accept) > 200 {
		accept = accept[:200]
	}
	for part := range strings.SplitSeq(accept, ",") {
		lang, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		q := 1.0
		if v, ok := strings.CutPrefix(strings.TrimSpace(params), "q="); ok {
			if f, err := strconv.ParseFloat(v, 64); err == nil {
				q = f
			}
		}
		lang, _, _ = strings.Cut(strings.ToLower(lang), "-")
		wants = append(wants, want{lang, q})
	}
	sort.SliceStable(wants, func(i, j int) bool { return wants[i].q > wants[j].q })
	for _, w := range wants {
		if _, ok := texts[w.lang]; ok && w.q > 0 {
			return w.lang
		}
	}
	return fallback
}

// number groups thousands as the language does.
func number(n int64, lang string) string {
	s := strconv.FormatInt(n, 10)
	sep := ","
	if lang == "es" {
		if sep = "."; n < 10_000 { // Spanish groups from five digits on, as Intl does
			return s
		}
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + sep + s[i:]
	}
	return s
}

// span says a wait of low to high seconds in words; -1 is unknown. The script has the same rules.
func span(t map[string]string, lang string, low, high int64) string {
	say := func(key string, a, b int64) string {
		return strings.NewReplacer("{a}", number(a, lang), "{b}", number(b, lang)).Replace(t[key])
	}
	a, b := max(0, low)/60, (high+59)/60
	switch {
	case high < 0 && a < 1:
		return t["waitUnknown"]
	case high < 0:
		return say("waitAtLeast", a, 0)
	case high < 60:
		return t["waitUnder"]
	case b > 120:
		return say("waitHours", low/3600, (high+3599)/3600)
	case a < 1:
		return say("waitUpTo", 0, b)
	case a == b:
		return say("waitSame", a, b)
	}
	return say("waitRange", a, b)
}

func countdown(d time.Duration) string {
	s := max(0, int64((d+time.Second-1)/time.Second))
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%02d:%02d", s/60, s%60)
}

// rtl says whether a language is written from right to left.
func rtl(lang string) bool { return lang == "ar" }
