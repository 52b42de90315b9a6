package web

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/ropeline/ropeline/core/hold"
	"github.com/ropeline/ropeline/core/locale"
)

// sources returns the text of every file of a kind below a directory.
func sources(t *testing.T, files fs.FS, dir, ext string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(files, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ext {
			return err
		}
		b, err := fs.ReadFile(files, name)
		out[name] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var (
	action    = regexp.MustCompile(`{{.*?}}`)
	spoken    = regexp.MustCompile(`(?:aria-label|aria-roledescription|placeholder|alt|title)="([^"]*)"`)
	tag       = regexp.MustCompile(`<[^>]*>`)
	wordy     = regexp.MustCompile(`\pL{2,}`)
	sentence  = regexp.MustCompile("['\"`][^'\"`]*\\b[A-Z][a-z]+ [a-z]+[^'\"`]*['\"`]")
	saysKey   = regexp.MustCompile(`\b(?:t|say|count|parts)\('(\w+)'`)
	callsKey  = regexp.MustCompile(`\b(?:t|count|strong) "(\w+)"`)
	quoted    = regexp.MustCompile("['\"`](\\w+)(?:\\$\\{[^}]*\\})?['\"`]")
	brand     = []string{"Ropeline"}
	lineNotes = regexp.MustCompile(`(?m)^\s*//.*$`)
)

// A template says nothing by itself: whatever is not markup comes from the texts.
func TestTemplatesHaveNoWordsOfTheirOwn(t *testing.T) {
	for name, source := range sources(t, templateFiles, "templates", ".html") {
		plain := action.ReplaceAllString(source, "")
		words := tag.ReplaceAllString(plain, " ")
		for _, m := range spoken.FindAllStringSubmatch(plain, -1) {
			words += " " + m[1]
		}
		for _, word := range wordy.FindAllString(words, -1) {
			if !slices.Contains(brand, word) {
				t.Errorf("%s says %q by itself: put it into texts/", name, word)
			}
		}
	}
}

// A script neither; what it throws at its developers is in English and not shown.
func TestScriptsHaveNoWordsOfTheirOwn(t *testing.T) {
	for name, source := range sources(t, assetFiles, "assets/js", ".js") {
		for line := range strings.Lines(lineNotes.ReplaceAllString(source, "")) {
			code, _, _ := strings.Cut(line, " // ")
			if found := sentence.FindString(code); found != "" && !strings.Contains(code, "new Error(") {
				t.Errorf("%s says %s by itself: put it into texts/", name, found)
			}
		}
	}
}

// Every text that is asked for is there, and every text that is there is asked for.
func TestTextsAndTheirUsesAgree(t *testing.T) {
	known := speeches[locale.Fallback].Texts
	mentioned := map[string]bool{}
	for name, source := range sources(t, assetFiles, "assets/js", ".js") {
		for _, m := range saysKey.FindAllStringSubmatch(source, -1) {
			if known[m[1]] == nil {
				t.Errorf("%s says %q, which is no text", name, m[1])
			}
		}
		for _, m := range quoted.FindAllStringSubmatch(source, -1) {
			mentioned[m[1]] = true
		}
	}
	for name, source := range sources(t, templateFiles, "templates", ".html") {
		for _, m := range callsKey.FindAllStringSubmatch(source, -1) {
			mentioned[m[1]] = true
			if known[m[1]] == nil {
				t.Errorf("%s says %q, which is no text", name, m[1])
			}
		}
	}
	for _, name := range []string{"page.go", "fill.go", "speech.go"} {
		for _, m := range quoted.FindAllStringSubmatch(goSource(t, name), -1) {
			mentioned[m[1]] = true
		}
	}
	stem := regexp.MustCompile(`(Seats|Tickets)$`)
	for key := range known {
		if !mentioned[key] && !mentioned[stem.ReplaceAllString(key, "")] {
			t.Errorf("nobody says %q: remove it from texts/", key)
		}
	}
	if len(mentioned) < 200 {
		t.Errorf("only %d names found: do the patterns still fit the sources?", len(mentioned))
	}
}

// betrays returns what of the English texts is on a page in another language.
func betrays(lang, page string) string {
	for key, text := range speeches[locale.Fallback].Texts {
		own := speeches[lang].Texts[key]
		for category, form := range text {
			for piece := range strings.SplitSeq(form, "{") {
				_, after, hole := strings.Cut(piece, "}")
				if hole {
					piece = after
				}
				piece = strings.TrimSpace(piece)
				if key == "fieldQExample" || strings.Count(piece, " ") < 2 || strings.Contains(own[category], piece) {
					continue // too short to be sure, or a name
				}
				if strings.Contains(page, piece) {
					return fmt.Sprintf("%q of %s", piece, key)
				}
			}
		}
	}
	return ""
}

func TestPagesInEveryLanguage(t *testing.T) {
	h := storefront()
	for _, lang := range locale.Languages {
		for _, p := range everyPage {
			res, body := get(t, h, p.path, "Accept-Language", lang, "Cookie", AccountCookie+"=x")
			dir := map[bool]string{true: "rtl", false: "ltr"}[lang == "ar"]
			if !strings.Contains(body, `<html lang="`+lang+`" dir="`+dir+`">`) || res.Header.Get("Content-Language") != lang {
				t.Errorf("%s in %s: %.60q, Content-Language %q", p.path, lang, body, res.Header.Get("Content-Language"))
			}
			if !strings.Contains(body, "/"+lang+"/js/site.js") {
				t.Errorf("%s in %s: its scripts speak another language", p.path, lang)
			}
			if found := betrays(lang, body); lang != "en" && found != "" {
				t.Errorf("%s in %s: it says %s", p.path, lang, found)
			}
			if strings.ContainsAny(tag.ReplaceAllString(strings.Split(body, `id="page-data"`)[0], ""), "{}") {
				t.Errorf("%s in %s: a hole of a text is not filled", p.path, lang)
			}
			for _, name := range locale.Names {
				if !strings.Contains(body, ">"+name+"</a>") {
					t.Errorf("%s in %s: %s is not offered", p.path, lang, name)
				}
			}
		}
	}
}

// A language chosen by hand is kept, on this page and the next, and no shared cache may keep the answer.
func TestALanguageIsChosenByHand(t *testing.T) {
	h := storefront()
	res, body := get(t, h, "/events/lights?lang=bn", "Accept-Language", "es")
	if !strings.Contains(body, `lang="bn"`) || !strings.HasPrefix(res.Header.Get("Set-Cookie"), locale.Cookie+"=bn;") {
		t.Errorf("Set-Cookie %q", res.Header.Get("Set-Cookie"))
	}
	if !strings.HasPrefix(res.Header.Get("Cache-Control"), "private") {
		t.Errorf("an answer with a cookie has the policy %q", res.Header.Get("Cache-Control"))
	}
	if !strings.Contains(body, `href="/sign-in?return=%2Fevents%2Flights"`) {
		t.Error("the language goes into the way back")
	}
	if _, body = get(t, h, "/", "Accept-Language", "es", "Cookie", locale.Cookie+"=bn"); !strings.Contains(body, `<html lang="bn"`) {
		t.Error("the next page has forgotten it")
	}
	if _, body = get(t, h, "/checkout/1-a?card_token=tok_ok"); strings.Contains(body, "tok_ok") {
		t.Error("a card token is in the menu of languages")
	}
}

// Modules are served in each language, with texts and format of that language and nothing else changed.
func TestScriptsAreServedInEveryLanguage(t *testing.T) {
	h := storefront()
	_, plain := get(t, h, assetURL("js/say.js"))
	for _, lang := range locale.Languages {
		if _, body := get(t, h, scriptURL(lang, "js/say.js")); body != plain {
			t.Errorf("%s: say.js is another file", lang)
		}
		res, body := get(t, h, scriptURL(lang, textModule))
		if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/javascript; charset=utf-8" || res.Header.Get("Cache-Control") != cacheImmutable {
			t.Errorf("%s: %d %v", lang, res.StatusCode, res.Header)
		}
		want, err := json.Marshal(speeches[lang].Texts["hold"])
		if err != nil || !strings.Contains(body, `"lang":"`+lang+`"`) || !strings.Contains(body, `"hold":`+string(want)) {
			t.Errorf("%s: %.200s", lang, body)
		}
	}
	for _, name := range []string{"xx/js/say.js", "es/css/base.css", "es/es/js/say.js"} {
		if res, _ := get(t, h, assetURL(name)); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", name, res.StatusCode)
		}
	}
}

// What the server wrote does not change its face when the script writes it again.
func TestTheScriptWritesAsTheServerDoes(t *testing.T) {
	server := httptest.NewServer(storefront())
	t.Cleanup(server.Close)
	ctx := openBrowser(t)
	run(t, ctx, "open a page", chromedp.Navigate(server.URL+assetURL("icon.svg")))
	amounts := []int64{0, 5, 100, 1490, 99999, 100000, 149050, 123456789, -250}
	currencies := []string{"EUR", "USD", "JPY", "KWD", "CHF", "PLN", "BDT", "CNY"}
	instants := []string{"2027-05-14T01:40:00Z", "2026-12-31T23:30:00Z", "2028-02-29T00:00:00Z", "2027-07-03T12:05:00Z"}
	zones := []string{"Asia/Tokyo", "Europe/Berlin", "America/Sao_Paulo", "UTC"}
	for _, lang := range locale.Languages {
		s := speeches[lang]
		var want []string
		for _, currency := range currencies {
			for _, amount := range amounts {
				want = append(want, s.Money(amount, currency))
			}
		}
		for _, instant := range instants {
			for _, zone := range zones {
				at, err := time.Parse(time.RFC3339, instant)
				if err != nil {
					t.Fatal(err)
				}
				for _, pattern := range []string{s.Full, s.Year, s.Short} {
					want = append(want, s.When(pattern, locale.In(at, zone)))
				}
			}
		}
		for n := range 130 {
			want = append(want, s.Count("chosenSeats", n))
		}
		want = append(want, s.Say("mapOf", "venue", "Hall"), s.Say("routeText", "from", "Berlin", "to", "Praha"),
			s.Say("seatLabel", "section", "Block 3, north", "row", "C", "seat", "12")) // of what the core calls the seat
		given, err := json.Marshal([]any{amounts, currencies, instants, zones, hold.Label("Block 3, north", "C", "12")})
		if err != nil {
			t.Fatal(err)
		}
		got := evaluate[[]string](t, ctx, fmt.Sprintf(`(async () => {
			const [f, s, o] = await Promise.all([import(%q), import(%q), import(%q)]);
			const [amounts, currencies, instants, zones, label] = %s;
			return [
				...currencies.flatMap((c) => amounts.map((a) => f.money(a, c))),
				...instants.flatMap((i) => zones.flatMap((z) => ['full', 'year', 'short'].map((p) => f.dateText(p, i, z)))),
				...Array.from({ length: 130 }, (_, n) => s.count('chosenSeats', n)),
				s.t('mapOf', { venue: 'Hall' }), s.t('routeText', { from: 'Berlin', to: 'Praha' }), o.placeText({ seat: 7, label }),
			];
		})()`, scriptURL(lang, "js/format.js"), scriptURL(lang, "js/say.js"), scriptURL(lang, "js/occasion.js"), given))
		if len(got) != len(want) {
			t.Fatalf("%s: %d texts, want %d", lang, len(got), len(want))
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: the script writes %q, the server %q", lang, got[i], want[i])
			}
		}
	}
}

func goSource(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
