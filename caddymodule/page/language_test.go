package page

import (
	"encoding/json"
	"html/template"
	"maps"
	"strings"
	"testing"
	"time"
)

// Every language has every text, with the same holes; what counts has the language's plural forms.
func TestEveryTextInEveryLanguage(t *testing.T) {
	texts, err := ownTexts()
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) != 5 {
		t.Fatalf("%d languages", len(texts))
	}
	forms := map[string][]string{"en": {"one", "other"}, "ar": {"one", "two", "few", "many", "other"}}
	for lang, table := range texts {
		if missing := absent(texts[fallback], table); len(missing) > 0 || len(table) != len(texts[fallback]) {
			t.Errorf("%s: missing %v of %d, has %d", lang, missing, len(texts[fallback]), len(table))
		}
		for key, text := range table {
			if err := checkText(key, texts[fallback][key], text); err != nil {
				t.Errorf("%s %s: %v", lang, key, err)
			}
		}
		for _, category := range forms[lang] {
			if table["ahead"][category] == "" {
				t.Errorf("%s: people ahead of you lack the form %q", lang, category)
			}
		}
	}
}

func TestAcceptLanguage(t *testing.T) {
	for accept, want := range map[string]string{
		"": "en", "es-MX,en;q=0.5": "es", "en;q=0.5,es;q=0.4": "en", "fr, es;q=0.1": "es", "es;q=0": "en", ";;q=,": "en",
		"zh-Hant-TW": "zh", "zh-x-private, ar": "zh", "BN": "bn", "ar-EG;q=0.8, en;q=0.9": "en", "fr;q=0.9, *;q=0.5": "en", "en;q=0, *": "ar",
		"en;q=0": "en", "es;q=1.5, ar;q=0.2": "ar", "es;q=0.1234, ar;q=0.001": "ar", "es ; q=0.3 , bn;Q=0.4": "bn", "es;q=-1,bn;q=0.1": "bn",
		"es;level=1,bn;q=0.1": "bn", "a-b-c-d-e-f, 12, ../../es, es<script>": "en", strings.Repeat("xx,", 200) + "es": "en", "zhx,ar": "ar",
	} {
		if got := Default().choose(accept).lang; got != want {
			t.Errorf("%.60q: %s, want %s", accept, got, want)
		}
	}
}

// Whatever a stranger sends, some language of ours is chosen, and never one that the header refuses while another is
// acceptable.
func FuzzAcceptLanguage(f *testing.F) {
	for _, seed := range []string{"", "es", "ar;q=0.5,*;q=0.1", "en;q=0,*", ";q=;,,", "zh-Hans-CN;q=1.000"} {
		f.Add(seed)
	}
	s := Default()
	f.Fuzz(func(t *testing.T, accept string) {
		lang := s.choose(accept).lang
		if s.tables[lang] == nil {
			t.Fatalf("%q: %q", accept, lang)
		}
		wants := ranges(accept)
		if len(wants) > maxRanges {
			t.Fatalf("%d ranges", len(wants))
		}
		last := 1000
		for _, w := range wants {
			if w.q > last || w.q < 0 || !isRange(w.tag) {
				t.Fatalf("%q: %+v", accept, wants)
			}
			last = w.q
			if w.tag == lang && w.q == 0 && lang != fallback {
				t.Fatalf("%q: chose %s, which it refuses", accept, lang)
			}
		}
	})
}

func TestNumbersAndSpans(t *testing.T) {
	tables := Default().tables
	for _, c := range []struct {
		lang      string
		low, high int64
		want      string
	}{
		{"en", 0, 5, "Less than a minute"}, {"en", 0, 60, "Up to 1 minute"}, {"en", 0, 61, "Up to 2 minutes"}, {"en", 70, 100, "1 to 2 minutes"},
		{"en", 600, 601, "10 to 11 minutes"}, {"en", 120, 120, "About 2 minutes"}, {"en", 5000, 9000, "1 to 3 hours"},
		{"en", -1, -1, "Nobody can say at the moment"}, {"en", 30, -1, "Nobody can say at the moment"}, {"en", 300, -1, "At least 5 minutes"},
		{"es", 130, 200, "De 2 a 4 minutos"}, {"zh", 130, 200, "2 到 4 分钟"}, {"bn", 130, 200, "২ থেকে ৪ মিনিট"},
		{"ar", 0, 60, "دقيقة على الأكثر"}, {"ar", 60, 120, "من دقيقة إلى دقيقتين"}, {"ar", 130, 200, "من ٢ إلى ٤ دقائق"}, {"ar", 650, 900, "من ١٠ إلى ١٥ دقيقة"},
	} {
		if got := tables[c.lang].span(c.low, c.high); got != c.want {
			t.Errorf("%s %d to %d: %q, want %q", c.lang, c.low, c.high, got, c.want)
		}
	}
	for _, c := range []struct {
		lang string
		n    int64
		want string
	}{
		{"en", 1234567, "1,234,567"}, {"en", 999, "999"}, {"es", 1234, "1234"}, {"es", 12345, "12.345"}, {"zh", 12345, "12,345"},
		{"bn", 1234567, "১২,৩৪,৫৬৭"}, {"bn", 12345678, "১,২৩,৪৫,৬৭৮"}, {"ar", 1234567, "١٬٢٣٤٬٥٦٧"}, {"ar", 7, "٧"},
	} {
		if got := tables[c.lang].number(c.n); got != c.want {
			t.Errorf("%s %d: %q, want %q", c.lang, c.n, got, c.want)
		}
	}
	for n, want := range map[int64]string{0: "other", 1: "one", 2: "two", 3: "few", 10: "few", 11: "many", 99: "many", 100: "other", 102: "other", 103: "few", 111: "many"} {
		if got := plural("ar", n); got != want && (n != 0 || got != "zero") {
			t.Errorf("ar %d: %s, want %s", n, got, want)
		}
	}
	en := tables["en"]
	if en.countdown(3*time.Hour+5*time.Second) != "3:00:05" || en.countdown(-time.Second) != "00:00" || en.countdown(61*time.Second+time.Millisecond) != "01:02" || tables["ar"].countdown(time.Minute) != "٠١:٠٠" {
		t.Error("countdown")
	}
}

// An operator's texts and template are judged when they are loaded, in one line that names place and cure.
func TestOwnTextsAndTemplate(t *testing.T) {
	all, err := own.ReadFile("texts/en.json")
	if err != nil {
		t.Fatal(err)
	}
	french := strings.Replace(string(all), "You are in line", "Vous êtes dans la file", 1)
	s, err := New(Options{Texts: map[string][]byte{"en": []byte(`{"waiting": "You stand in line"}`), "fr": []byte(french)}})
	if err != nil {
		t.Fatal(err)
	}
	for lang, want := range map[string]string{"en": "You stand in line", "fr": "Vous êtes dans la file", "es": "Está en la fila"} {
		d := sample("waiting")
		d.Language = lang
		if b, err := s.Render(d); err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%s: %v, %q is missing", lang, err, want)
		}
	}
	if b, _ := Default().Render(sample("waiting")); strings.Contains(string(b), "You stand in line") {
		t.Error("one room's texts changed another's")
	}
	s, err = New(Options{Template: `<!doctype html><html lang="{{.Lang}}"><title>{{.DocTitle}}</title><style>p{color:red}</style><p id="num">{{.Big}}</p><a href="{{.Self}}">{{.Button}}</a>
{{if .Kept}}<form method="post" action="{{.Base}}resume"><input name="kept" value="{{.Kept}}"><button>{{.T.keptButton}}</button></form>{{end}}
{{if .Challenge}}<form method="post" action="{{.Base}}join"><input name="challenge" value="{{.Challenge}}"><button>{{.T.workButton}}</button></form>{{end}}
{{if .Invite}}<form method="post" action="{{.Base}}invite"><input name="code"><button>ok</button></form>{{end}}`})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(s.Policy(), hashOf("p{color:red}")) {
		t.Errorf("the policy does not admit the template's style: %s", s.Policy())
	}
	for name, o := range map[string]Options{
		"does not parse": {Template: `{{if .Big}`}, "fails in state waiting": {Template: `{{.NoSuchField}}`}, `add <a href="{{.Self}}">`: {Template: `<p>{{.Big}}</p>`},
		"differs from visitor to visitor": {Template: htmlSource + `<script>var a={{.Big}}</script>`},
		"line 2":                          {Texts: map[string][]byte{"en": []byte("{\n\"waiting\" \"x\"}")}}, "is not one of our texts": {Texts: map[string][]byte{"en": []byte(`{"wating": "x"}`)}},
		"missing are ahead": {Texts: map[string][]byte{"fr": []byte(`{"waiting": "x"}`)}}, "{a} is missing": {Texts: map[string][]byte{"en": []byte(`{"waitRange": "{b}"}`)}},
		"nothing is known for": {Texts: map[string][]byte{"en": []byte(`{"waiting": "{z}"}`)}}, "no plural category": {Texts: map[string][]byte{"en": []byte(`{"ahead": {"other": "x", "three": "y"}}`)}},
		`lack "other"`: {Texts: map[string][]byte{"en": []byte(`{"ahead": {"one": "x"}}`)}}, "is not a language": {Texts: map[string][]byte{"../x": []byte(`{}`)}},
		"write it as texts/en.json does": {Texts: map[string][]byte{"en": []byte(`{"digits": "012"}`)}}, "something follows": {Texts: map[string][]byte{"en": []byte(`{} {}`)}},
	} {
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "\n") {
			t.Errorf("want %q, got %v", name, err)
		}
	}
}

// Nothing that an operator's files can hold breaks the loader: it refuses them, or the page stands.
func FuzzTexts(f *testing.F) {
	f.Add([]byte(`{"waiting": "x"}`), `<a href="{{.Self}}">{{.Big}}</a>`)
	f.Add([]byte(`{"ahead": {"one": "a", "other": "b"}}`), `{{if .RTL}}<p>{{.T.kicker}}</p>{{end}}<a href="{{.Self}}">x</a>`)
	f.Add([]byte(`{"grouping": "0", "groupFrom": "0", "digits": ""}`), ``)
	ours, err := ownTexts()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte, source string) {
		texts := map[string]map[string]Text{fallback: maps.Clone(ours[fallback])}
		if merge(texts, map[string][]byte{"en": text}) == nil {
			table, err := newTable("en", texts["en"])
			if err != nil {
				t.Fatal(err)
			}
			if s := table.number(1234567); s == "" || !json.Valid([]byte(table.boot)) || strings.Contains(string(table.boot), "</") {
				t.Fatalf("%q: %s", s, table.boot)
			}
		}
		tmpl, err := template.New("template").Parse(source)
		if err != nil || len(source) > 2000 {
			return
		}
		// One language does: what can break a template is the same in all.
		set := &Set{page: tmpl, tables: map[string]*table{fallback: Default().tables[fallback]}, order: []string{fallback}}
		if set.check(nil) == nil {
			if b, err := set.Render(sample("waiting")); err != nil || !strings.Contains(string(b), `href="/a`) {
				t.Fatalf("a template without a way on was taken: %v", err)
			}
		}
	})
}
