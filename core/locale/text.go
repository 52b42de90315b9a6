package locale

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"sort"
	"strings"
)

// Text is one sentence in one language: its forms by plural category. "other" is
// always there, and is all there is of a text that counts nothing.
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

// MarshalJSON writes what UnmarshalJSON reads, for scripts.
func (t Text) MarshalJSON() ([]byte, error) {
	if len(t) == 1 {
		return json.Marshal(t["other"])
	}
	return json.Marshal(map[string]string(t))
}

// Speech is one language's texts together with its Format.
type Speech struct {
	*Format
	Texts map[string]Text
}

// First-strong isolates: a name in another script keeps to itself and does not
// turn the words around it. Only texts from right to left need them here.
const isolate, pop = "\u2068", "\u2069"

// Say returns a text with its holes filled: name, value, name, value. An unknown
// text is its own name, which a test finds before a visitor does.
func (s *Speech) Say(key string, pairs ...any) string {
	return s.fill(key, "other", pairs)
}

// Count returns the text about n things. {n} is n.
func (s *Speech) Count(key string, n int, pairs ...any) string {
	return s.fill(key, Plural(s.Lang, n), append([]any{"n", n}, pairs...))
}

func (s *Speech) fill(key, category string, pairs []any) string {
	text, ok := s.Texts[key][category]
	if !ok {
		if text, ok = s.Texts[key]["other"]; !ok {
			return key
		}
	}
	var filled []string
	for i := 0; i+1 < len(pairs); i += 2 {
		filled = append(filled, fmt.Sprintf("{%v}", pairs[i]), s.value(pairs[i+1]))
	}
	return strings.NewReplacer(filled...).Replace(text)
}

func (s *Speech) value(v any) string {
	if n, ok := v.(int); ok {
		return s.Number(int64(n))
	}
	text := fmt.Sprint(v)
	if s.RTL && text != "" {
		return isolate + text + pop
	}
	return text
}

// Plural is the CLDR category of a whole number.
func Plural(lang string, n int) string {
	switch lang {
	case "zh":
		return "other"
	case "bn":
		if n == 0 || n == 1 {
			return "one"
		}
		return "other"
	case "ar":
		hundred := n % 100
		switch {
		case n >= 0 && n < 3:
			return []string{"zero", "one", "two"}[n]
		case hundred >= 3 && hundred <= 10:
			return "few"
		case hundred >= 11:
			return "many"
		}
		return "other"
	}
	if n == 1 {
		return "one"
	}
	return "other"
}

// Load reads dir/<language>.json for every language and checks them against each
// other. Texts are part of the program: what is wrong with them is a mistake of
// whoever changed them, told with its place.
func Load(files fs.FS, dir string) (map[string]*Speech, error) {
	out := map[string]*Speech{}
	for _, lang := range Languages {
		name := dir + "/" + lang + ".json"
		b, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("texts: %w", err)
		}
		s := &Speech{Format: Of(lang)}
		if err := json.Unmarshal(b, &s.Texts); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[lang] = s
	}
	for _, lang := range Languages {
		if err := agree(out[Fallback].Texts, out[lang].Texts); err != nil {
			return nil, fmt.Errorf("%s/%s.json: %w", dir, lang, err)
		}
	}
	return out, nil
}

// MustLoad is Load for embedded texts.
func MustLoad(files fs.FS, dir string) map[string]*Speech {
	speeches, err := Load(files, dir)
	if err != nil {
		panic("locale: " + err.Error())
	}
	return speeches
}

var (
	hole       = regexp.MustCompile(`\{\w+\}`)
	categories = []string{"zero", "one", "two", "few", "many", "other"}
)

// agree compares a language with the fallback: the same texts with the same holes.
// A form for one or two of something may say the number in words, without {n}.
func agree(known, have map[string]Text) error {
	for _, key := range keys(known) {
		if have[key] == nil {
			return fmt.Errorf("%q is missing: translate it", key)
		}
	}
	for _, key := range keys(have) {
		ours, text := known[key], have[key]
		if ours == nil {
			return fmt.Errorf("%q is not in %s.json: remove it, or add it there", key, Fallback)
		}
		if text["other"] == "" {
			return fmt.Errorf("%q is empty, or its plural forms lack \"other\"", key)
		}
		for category, form := range text {
			if !slices.Contains(categories, category) {
				return fmt.Errorf("%q: %q is no plural category: use %s", key, category, strings.Join(categories, ", "))
			}
			want, got := holes(ours["other"]), holes(form)
			if category == "zero" || category == "one" || category == "two" {
				want, got = without(want, "{n}"), without(got, "{n}")
			}
			if !slices.Equal(want, got) {
				return fmt.Errorf("%q (%s) has the holes %v, want %v", key, category, got, want)
			}
		}
	}
	return nil
}

func holes(text string) []string {
	found := hole.FindAllString(text, -1)
	sort.Strings(found)
	return slices.Compact(found)
}

func without(list []string, what string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return s == what })
}

func keys(m map[string]Text) []string {
	out := make([]string, 0, len(m))
	for key := range m {
		out = append(out, key)
	}
	sort.Strings(out)
	return out
}
