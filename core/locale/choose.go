package locale

import (
	"slices"
	"sort"
	"strings"
)

// Fallback is what everybody gets whose languages we do not have.
const Fallback = "en"

// Languages are the ones we have, in the order in which they are offered.
var Languages = []string{"en", "es", "zh", "bn", "ar"}

// Names are what the languages call themselves.
var Names = map[string]string{"en": "English", "es": "Español", "zh": "中文", "bn": "বাংলা", "ar": "العربية"}

const (
	maxAccept = 400 // bytes of the header that are read
	maxRanges = 24  // languages of it
)

// Known says whether we have exactly this language.
func Known(lang string) bool { return slices.Contains(Languages, lang) }

// Choose is the best language we have for an Accept-Language header (RFC 9110,
// 12.5.4), by lookup (RFC 4647, 3.4): a range is shortened until it names one we
// have. The edge's queue page chooses by the same rule, so that nobody comes
// from a Spanish line to an English shop.
func Choose(accept string) string {
	wants := ranges(accept)
	refused := func(lang string) bool {
		return slices.ContainsFunc(wants, func(w wanted) bool { return w.q == 0 && w.tag == lang })
	}
	for _, w := range wants {
		if w.q == 0 {
			continue
		}
		if w.tag == "*" {
			if i := slices.IndexFunc(Languages, func(l string) bool { return !refused(l) }); i >= 0 {
				return Languages[i]
			}
			continue
		}
		if lang := lookup(w.tag); lang != "" && !refused(lang) {
			return lang
		}
	}
	return Fallback
}

// lookup shortens a range from its end: zh-Hant-TW, zh-Hant, zh.
func lookup(tag string) string {
	for {
		if Known(tag) {
			return tag
		}
		i := strings.LastIndexByte(tag, '-')
		if i < 0 {
			return ""
		}
		tag = tag[:i]
	}
}

type wanted struct {
	tag string
	q   int // thousandths
}

// ranges reads the header, the most wanted first; equal ones stay in their order.
// What is not of the grammar is passed over, and so is a range cut off by our bound.
func ranges(accept string) []wanted {
	if len(accept) > maxAccept {
		accept = accept[:strings.LastIndexByte(accept[:maxAccept], ',')+1]
	}
	var out []wanted
	for part := range strings.SplitSeq(accept, ",") {
		tag, weight, weighted := strings.Cut(part, ";")
		w := wanted{tag: strings.ToLower(strings.Trim(tag, " \t")), q: 1000}
		ok := w.tag != ""
		if weighted && ok {
			w.q, ok = quality(weight)
		}
		if !ok {
			continue
		}
		if out = append(out, w); len(out) == maxRanges {
			break
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].q > out[j].q })
	return out
}

// quality reads `q=0.5` in thousandths: up to three decimals, at most 1.
func quality(s string) (int, bool) {
	number, ok := strings.CutPrefix(strings.ToLower(strings.Trim(s, " \t")), "q=")
	whole, frac, _ := strings.Cut(number, ".")
	if !ok || whole != "0" && whole != "1" || len(frac) > 3 || strings.Trim(frac, "0123456789") != "" {
		return 0, false
	}
	q := int(whole[0]-'0') * 1000
	for i, unit := 0, 100; i < len(frac); i, unit = i+1, unit/10 {
		q += int(frac[i]-'0') * unit
	}
	return q, q <= 1000
}
