package locale

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

func TestSentences(t *testing.T) {
	texts := map[string]Text{"seats": {"one": "one seat in {row}", "other": "{n} seats in {row}"}, "pay": {"other": "Pay {price}"}}
	en, ar, bn := &Speech{Of("en"), texts}, &Speech{Of("ar"), texts}, &Speech{Of("bn"), texts}
	for got, want := range map[string]string{
		en.Count("seats", 1, "row", "A"): "one seat in A", en.Count("seats", 2000, "row", "{n}"): "2,000 seats in {n}",
		bn.Count("seats", 0, "row", "A"): "one seat in A", bn.Count("seats", 12, "row", "A"): "১২ seats in A",
		ar.Count("seats", 2, "row", "A"): "٢ seats in \u2068A\u2069", en.Say("pay", "price", "€90"): "Pay €90", en.Say("nothing"): "nothing",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestPlurals(t *testing.T) {
	for lang, want := range map[string]string{
		"en": "other one other other other other other", "es": "other one other other other other other", "zh": "other other other other other other other",
		"bn": "one one other other other other other", "ar": "zero one two few many other few",
	} {
		var got []string
		for _, n := range []int{0, 1, 2, 3, 11, 100, 103} {
			got = append(got, Plural(lang, n))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", lang, got, want)
		}
	}
}

// What is wrong with a text is told with its language, its name and the cure.
func TestTextsThatDoNotAgree(t *testing.T) {
	for broken, want := range map[string]string{
		`{}`: `"pay" is missing`, `{"pay": ""}`: `"pay" is empty`, `{"pay": "{amount}"}`: "has the holes [{amount}], want [{price}]",
		`{"pay": "{price}", "more": "x"}`: `"more" is not in en.json`, `{"pay": {"one": "{price}"}}`: `lack "other"`,
		`{"pay": {"other": "{price}", "three": "{price}"}}`: `"three" is no plural category`, `{"pay": {"other": "{price}", "few": "x"}}`: "(few) has the holes []",
		`{`: "unexpected end",
	} {
		files := fstest.MapFS{}
		for _, lang := range Languages {
			files[fmt.Sprintf("t/%s.json", lang)] = &fstest.MapFile{Data: []byte(`{"pay": "{price}"}`)}
		}
		files["t/bn.json"] = &fstest.MapFile{Data: []byte(broken)}
		if _, err := Load(files, "t"); err == nil || !strings.Contains(err.Error(), "t/bn.json") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", broken, err, want)
		}
	}
}
