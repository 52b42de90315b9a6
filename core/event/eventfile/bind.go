package eventfile

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// binder collects findings while fields are read out of the tree.
type binder struct{ findings Findings }

func (b *binder) addf(line int, field, format string, args ...any) {
	b.findings = append(b.findings, &Finding{Line: line, Field: field, Text: fmt.Sprintf(format, args...)})
}

// fields reads the members of one object and remembers which were asked for,
// so that done can refuse the others and suggest what was meant.
type fields struct {
	b     *binder
	path  string
	line  int
	obj   *object
	known map[string]bool
}

// object opens n as an object; nil (with a finding) if it is none.
func (b *binder) object(n *node, path string) *fields {
	o, ok := n.val.(*object)
	if !ok {
		b.addf(n.line, path, "is %s, want an object {...}", kindOf(n.val))
		return nil
	}
	return &fields{b: b, path: path, line: n.line, obj: o, known: map[string]bool{}}
}

func (f *fields) at(key string) string {
	return below(f.path, key)
}

// get returns the member, nil if it is absent.
func (f *fields) get(key string) *node {
	f.known[key] = true
	return f.obj.members[key]
}

// lineOf is the line of a member, or of the object when the member is absent.
func (f *fields) lineOf(key string) int {
	if l, ok := f.obj.lines[key]; ok {
		return l
	}
	return f.line
}

func (f *fields) addf(key, format string, args ...any) {
	f.b.addf(f.lineOf(key), f.at(key), format, args...)
}

// text reads a string of 1..max characters; absent is refused only if required.
func (f *fields) text(key string, required bool, max int) string {
	n := f.get(key)
	if n == nil {
		if required {
			f.addf(key, "is missing; write a text")
		}
		return ""
	}
	s, ok := n.val.(string)
	switch {
	case !ok:
		f.addf(key, "is %s, want a text in quotes", kindOf(n.val))
	case strings.TrimSpace(s) == "" && required:
		f.addf(key, "is empty; write a text")
	case utf8.RuneCountInString(s) > max:
		f.addf(key, "has %d characters, at most %d", utf8.RuneCountInString(s), max)
	case strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }):
		f.addf(key, "contains a control character; remove it")
	default:
		return s
	}
	return ""
}

var slugForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func (f *fields) slug(key string, required bool) string {
	s := f.text(key, required, 64)
	if s != "" && !slugForm.MatchString(s) {
		f.addf(key, "is %q; use small letters, digits and single hyphens, as in %q", s, "night-of-lights")
		return ""
	}
	return s
}

// integer reads a whole number in [lo, hi]; absent gives def.
func (f *fields) integer(key string, def, lo, hi int64) int64 {
	n := f.get(key)
	if n == nil {
		return def
	}
	num, ok := n.val.(json.Number)
	if !ok {
		f.addf(key, "is %s, want a whole number", kindOf(n.val))
		return def
	}
	v, err := strconv.ParseInt(num.String(), 10, 64)
	if err != nil {
		f.addf(key, "is %s, want a whole number without fraction or exponent", num)
		return def
	}
	if v < lo || v > hi {
		f.addf(key, "is %d, want %d to %d", v, lo, hi)
		return def
	}
	return v
}

// duration reads "8m", "90s"; absent gives def.
func (f *fields) duration(key string, def, lo, hi time.Duration) time.Duration {
	n := f.get(key)
	if n == nil {
		return def
	}
	s, _ := n.val.(string)
	d, err := time.ParseDuration(s)
	if err != nil {
		f.addf(key, "is not a duration; write it as %q or %q", "8m", "90s")
		return def
	}
	if d < lo || d > hi {
		f.addf(key, "is %s, want %s to %s", d, lo, hi)
		return def
	}
	return d
}

// flag reads true or false; absent is false.
func (f *fields) flag(key string) bool {
	n := f.get(key)
	if n == nil {
		return false
	}
	v, ok := n.val.(bool)
	if !ok {
		f.addf(key, "is %s, want true or false", kindOf(n.val))
	}
	return v
}

// oneOf reads one of a few words; absent gives the first.
func (f *fields) oneOf(key string, words ...string) string {
	n := f.get(key)
	if n == nil {
		return words[0]
	}
	s, _ := n.val.(string)
	for _, w := range words {
		if s == w {
			return s
		}
	}
	f.addf(key, "is not one of %s%s", strings.Join(words, ", "), didYouMean(s, words))
	return words[0]
}

// list opens an array; absent is empty.
func (f *fields) list(key string, max int) []*node {
	n := f.get(key)
	if n == nil {
		return nil
	}
	items, ok := n.val.([]*node)
	if !ok {
		f.addf(key, "is %s, want a list [...]", kindOf(n.val))
		return nil
	}
	if len(items) > max {
		f.addf(key, "has %d entries, at most %d", len(items), max)
		return nil
	}
	return items
}

// done refuses every member nobody asked for.
func (f *fields) done() {
	for _, key := range f.obj.keys {
		if f.known[key] {
			continue
		}
		known := make([]string, 0, len(f.known))
		for k := range f.known {
			known = append(known, k)
		}
		sort.Strings(known)
		hint := didYouMean(key, known)
		if hint == "" {
			hint = "; known here: " + strings.Join(known, ", ")
		}
		f.addf(key, "is no field of this object%s", hint)
	}
}

func number(n *node) (float64, bool) {
	num, ok := n.val.(json.Number)
	if !ok {
		return 0, false
	}
	v, err := num.Float64()
	return v, err == nil && !math.IsInf(v, 0)
}

func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return "a text"
	case json.Number:
		return "a number"
	case bool:
		return strconv.FormatBool(v)
	case *object:
		return "an object"
	default:
		return "a list"
	}
}
