package page

import (
	"sort"
	"strings"
)

const (
	maxAccept = 400 // bytes of the header that are read
	maxRanges = 24  // languages of it
)

type wanted struct {
	tag string
	q   int // thousandths
}

// choose is the best language we have for an Accept-Language header (RFC 9110, 12.5.4), by lookup (RFC 4647, 3.4): a
// range is shortened until it names a language we have. What the header refuses (q=0) is not given, unless nothing
// else is left.
func (s *Set) choose(accept string) *table {
	wants := ranges(accept)
	refused := func(lang string) bool {
		for _, w := range wants {
			if w.q == 0 && strings.EqualFold(w.tag, lang) {
				return true
			}
		}
		return false
	}
	for _, w := range wants {
		if w.q == 0 {
			continue
		}
		if w.tag == "*" {
			for _, lang := range s.order {
				if !refused(lang) {
					return s.tables[lang]
				}
			}
			continue
		}
		if t := s.lookup(w.tag); t != nil && !refused(t.lang) {
			return t
		}
	}
	return s.tables[fallback]
}

// lookup shortens a range from its end: zh-Hant-TW, zh-Hant, zh. A single letter or digit goes with what follows it.
func (s *Set) lookup(tag string) *table {
	for {
		if t := s.tables[tag]; t != nil {
			return t
		}
		i := strings.LastIndexByte(tag, '-')
		if i < 0 {
			return nil
		}
		if tag = tag[:i]; i >= 2 && tag[i-2] == '-' {
			tag = tag[:i-2]
		}
	}
}

// ranges reads the header, the most wanted first; equal ones stay in their order. What is not of the grammar is
// passed over, and so is a range cut off by our own bound.
func ranges(accept string) []wanted {
	if len(accept) > maxAccept {
		accept = accept[:strings.LastIndexByte(accept[:maxAccept], ',')+1]
	}
	var out []wanted
	for part := range strings.SplitSeq(accept, ",") {
		tag, weight, weighted := strings.Cut(part, ";")
		tag = strings.ToLower(strings.Trim(tag, " \t"))
		q, ok := 1000, true
		if weighted {
			q, ok = quality(weight)
		}
		if !ok || !isRange(tag) {
			continue
		}
		if out = append(out, wanted{tag, q}); len(out) == maxRanges {
			break
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].q > out[j].q })
	return out
}

// quality reads `q=0.5` in thousandths: up to three decimals, at most 1.
func quality(s string) (int, bool) {
	s = strings.Trim(s, " \t")
	if len(s) < 3 || s[0]|0x20 != 'q' || s[1] != '=' {
		return 0, false
	}
	whole, frac, dotted := strings.Cut(s[2:], ".")
	if whole != "0" && whole != "1" || len(frac) > 3 || dotted && strings.Trim(frac, "0123456789") != "" {
		return 0, false
	}
	q := int(whole[0]-'0') * 1000
	for i, unit := 0, 100; i < len(frac); i, unit = i+1, unit/10 {
		q += int(frac[i]-'0') * unit
	}
	return q, q <= 1000
}

// isRange: 1 to 8 letters, then parts of 1 to 8 letters or digits; or *.
func isRange(tag string) bool {
	if tag == "*" {
		return true
	}
	for i, part := range strings.Split(tag, "-") {
		if len(part) < 1 || len(part) > 8 {
			return false
		}
		for _, c := range []byte(part) {
			if (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9') {
				return false
			}
		}
	}
	return true
}
