package page

import (
	"embed"
	"encoding/json"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed texts/*.json
var own embed.FS

// fallback is what everybody gets whose languages we do not have.
const fallback = "en"

// Text is one sentence in one language. What counts something has a form for each of the language's plural categories
// (CLDR's names: zero, one, two, few, many, other); "other" is always there.
type Text map[string]string

// UnmarshalJSON reads "words" or {"one": "...", "other": "..."}.
func (t *Text) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*t = Text{"other": s}
		return nil
	}
	var forms map[string]string
	if err := json.Unmarshal(b, &forms); err != nil {
		return err
	}
	*t = forms
	return nil
}

// MarshalJSON writes what UnmarshalJSON reads, for the script.
func (t Text) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return json.Marshal(t["other"])
	}
	return json.Marshal(map[string]string(t))
}

func (t Text) form(category string) string {
	if s, ok := t[category]; ok {
		return s
	}
	return t["other"]
}

// table is one language, ready for use.
type table struct {
	lang  string
	texts map[string]Text
	words map[string]string // each text's "other", for templates
	boot  template.JS       // what the script needs of the texts

	digits    []rune
	group     string
	sizes     []int // of the groups of a number's digits, from the right; the last repeats
	groupFrom int   // digits from which on they are grouped
}

// formats are the keys that are no words: how the language writes numbers.
var formats = map[string]*regexp.Regexp{
	"digits":    regexp.MustCompile(`^.{10}$`),
	"group":     regexp.MustCompile(`^.{0,2}$`),
	"grouping":  regexp.MustCompile(`^[2-4](,[2-4])?$`),
	"groupFrom": regexp.MustCompile(`^[1-9]\d?$`),
}

// serverOnly are the texts the script never says.
var serverOnly = regexp.MustCompile(`^(draw[A-Z].*|check.*|return.*|invite.*|identify.*|invited.*|framed.*|buttonFramed|noscript|post|kicker|\w+Label|progress|keptNote|keptButton|workNote|workButton|captchaNote|joining.*)$`)

// newTable takes texts that have been checked.
func newTable(lang string, texts map[string]Text) (*table, error) {
	t := &table{lang: lang, texts: texts, words: make(map[string]string, len(texts)), group: texts["group"]["other"], digits: []rune(texts["digits"]["other"])}
	script := make(map[string]Text)
	for key, text := range texts {
		t.words[key] = text["other"]
		if !serverOnly.MatchString(key) || key == "drawingText" || key == "drawingBig" {
			script[key] = text
		}
	}
	for size := range strings.SplitSeq(t.words["grouping"], ",") {
		n, err := strconv.Atoi(size)
		if err != nil {
			return nil, err
		}
		t.sizes = append(t.sizes, n)
	}
	var err error
	if t.groupFrom, err = strconv.Atoi(t.words["groupFrom"]); err != nil {
		return nil, err
	}
	b, err := json.Marshal(script) // escapes <, > and &: it stands inside a script element
	t.boot = template.JS(b)
	return t, err
}

// count is a text about n things, with n for {n}.
func (t *table) count(key string, n int64) string {
	return strings.ReplaceAll(t.texts[key].form(plural(t.lang, n)), "{n}", t.number(n))
}

// number writes n in the language's digits and groups. The script has the same rules, so that a number does not
// change its face when the script takes over.
func (t *table) number(n int64) string {
	s := strconv.FormatInt(n, 10)
	var out []string
	if len(s) >= t.groupFrom {
		for i := 0; ; i++ {
			size := t.sizes[min(i, len(t.sizes)-1)]
			if len(s) <= size {
				break
			}
			out = append(out, s[len(s)-size:])
			s = s[:len(s)-size]
		}
	}
	out = append(out, s)
	slices.Reverse(out)
	return t.native(strings.Join(out, t.group))
}

func (t *table) native(s string) string {
	if t.digits[0] == '0' {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return t.digits[r-'0']
		}
		return r
	}, s)
}

// rtl says whether a language is written from right to left.
func rtl(lang string) bool {
	base, _, _ := strings.Cut(lang, "-")
	return slices.Contains([]string{"ar", "he", "fa", "ur", "ps", "sd", "ug", "yi", "dv", "ckb"}, base)
}

// plural is the CLDR category of a whole number. Languages that are not named here have "one" for 1 and "other": the
// browser, which knows them all, says it right as soon as the script runs.
func plural(lang string, n int64) string {
	base, _, _ := strings.Cut(lang, "-")
	ten, hundred := n%10, n%100
	switch base {
	case "zh", "ja", "ko", "vi", "th", "id", "ms":
		return "other"
	case "ar":
		switch {
		case n < 3:
			return []string{"zero", "one", "two"}[max(0, n)]
		case hundred >= 3 && hundred <= 10:
			return "few"
		case hundred >= 11:
			return "many"
		}
		return "other"
	case "bn", "hi", "fa", "gu", "kn", "fr", "pt":
		return pick(n == 0 || n == 1, "one", "other")
	case "ru", "uk", "be", "sr", "hr", "bs":
		if ten == 1 && hundred != 11 {
			return "one"
		}
		return pick(ten >= 2 && ten <= 4 && (hundred < 12 || hundred > 14), "few", pick(base == "ru" || base == "uk" || base == "be", "many", "other"))
	case "pl":
		if n == 1 {
			return "one"
		}
		return pick(ten >= 2 && ten <= 4 && (hundred < 12 || hundred > 14), "few", "many")
	case "cs", "sk":
		return pick(n == 1, "one", pick(n >= 2 && n <= 4, "few", "other"))
	}
	return pick(n == 1, "one", "other")
}

func pick(yes bool, a, b string) string {
	if yes {
		return a
	}
	return b
}
