package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"sort"
	"strings"
)

const maxText = 2000 // bytes of one text

var (
	hole       = regexp.MustCompile(`\{\w\}`)
	languageID = regexp.MustCompile(`^[a-z]{2,8}(-[a-z0-9]{1,8}){0,3}$`)
	categories = []string{"zero", "one", "two", "few", "many", "other"}
)

// merge lays an operator's tables over ours. Every error names language, key and cure.
func merge(texts map[string]map[string]Text, given map[string][]byte) error {
	if len(given) > maxLanguages {
		return fmt.Errorf("texts: %d languages, at most %d", len(given), maxLanguages)
	}
	known := texts[fallback]
	for _, lang := range sortedKeys(given) {
		if !languageID.MatchString(lang) {
			return fmt.Errorf("texts: %q is not a language: name it as browsers do, in small letters, for example fr or pt-br", lang)
		}
		t, err := parseTable(given[lang])
		if err != nil {
			return fmt.Errorf("texts %s: %w", lang, err)
		}
		to, have := texts[lang]
		if !have {
			to = map[string]Text{}
		}
		for _, key := range sortedKeys(t) {
			if known[key] == nil {
				return fmt.Errorf("texts %s: %q is not one of our texts: see texts/en.json for their names", lang, key)
			}
			if err := checkText(key, known[key], t[key]); err != nil {
				return fmt.Errorf("texts %s: %s: %w", lang, key, err)
			}
			to[key] = t[key]
		}
		if missing := absent(known, to); len(missing) > 0 {
			return fmt.Errorf("texts %s: a new language needs all %d texts; missing are %s", lang, len(known), some(missing))
		}
		texts[lang] = to
	}
	return nil
}

func parseTable(b []byte) (map[string]Text, error) {
	if len(b) > maxTexts {
		return nil, fmt.Errorf("%d bytes, at most %d", len(b), maxTexts)
	}
	var t map[string]Text
	d := json.NewDecoder(bytes.NewReader(b))
	if err := d.Decode(&t); err != nil {
		at := d.InputOffset()
		if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
			at = syntax.Offset
		}
		return nil, fmt.Errorf("line %d: %w: write one JSON object, a text or its plural forms for each name", lineAt(b, at), err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("line %d: something follows the object: keep one JSON object", lineAt(b, d.InputOffset()))
	}
	return t, nil
}

func lineAt(b []byte, offset int64) int {
	return 1 + bytes.Count(b[:min(int64(len(b)), offset)], []byte("\n"))
}

// checkText compares a text with the one we know: same holes, and the forms of a plural only.
func checkText(key string, ours, theirs Text) error {
	if theirs["other"] == "" && key != "group" {
		return errors.New(`it is empty, or its plural forms lack "other"`)
	}
	if format := formats[key]; format != nil {
		if !format.MatchString(theirs["other"]) || len(theirs) > 1 {
			return fmt.Errorf("%q: write it as texts/en.json does: %q", theirs["other"], ours["other"])
		}
		return nil
	}
	allowed := hole.FindAllString(ours["other"], -1)
	for _, category := range sortedKeys(theirs) {
		text := theirs[category]
		if !slices.Contains(categories, category) {
			return fmt.Errorf("%q is no plural category: use %s", category, strings.Join(categories, ", "))
		}
		if len(text) > maxText {
			return fmt.Errorf("%d bytes, at most %d", len(text), maxText)
		}
		for _, h := range hole.FindAllString(text, -1) {
			if !slices.Contains(allowed, h) {
				return fmt.Errorf("it has %s, which nothing is known for: use %s", h, some(allowed))
			}
		}
	}
	for _, h := range allowed { // the form for one or two may say the number in words
		if !strings.Contains(theirs["other"], h) {
			return fmt.Errorf("%s is missing in it", h)
		}
	}
	return nil
}

func absent(known, have map[string]Text) (out []string) {
	for _, key := range sortedKeys(known) {
		if have[key] == nil {
			out = append(out, key)
		}
	}
	return out
}

// some names the first few.
func some(names []string) string {
	const few = 6
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > few:
		return strings.Join(names[:few], ", ") + fmt.Sprintf(" and %d more", len(names)-few)
	}
	return strings.Join(names, ", ")
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
