package locale

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	for accept, want := range map[string]string{
		"": "en", "es-MX,en;q=0.5": "es", "en;q=0.5,es;q=0.4": "en", "fr, es;q=0.1": "es", "es;q=0": "en", ";;q=,": "en",
		"zh-Hant-TW": "zh", "BN": "bn", "ar-EG;q=0.8, en;q=0.9": "en", "fr;q=0.9, *;q=0.5": "en", "en;q=0, *": "es",
		"en;q=0": "en", "es;q=1.5, ar;q=0.2": "ar", "es;q=0.1234, ar;q=0.001": "ar", "es ; q=0.3 , bn;Q=0.4": "bn", "es;q=-1,bn;q=0.1": "bn",
		"es;level=1,bn;q=0.1": "bn", "a-b-c-d-e-f, 12, ../../es, es<script>": "en", strings.Repeat("xx,", 200) + "es": "en", "zhx,ar": "ar",
	} {
		if got := Choose(accept); got != want {
			t.Errorf("%.60q: %s, want %s", accept, got, want)
		}
	}
}

// Whatever a stranger sends, it is a language of ours, and never one that is refused while another is asked for.
func FuzzChoose(f *testing.F) {
	for _, seed := range []string{"", "es", "ar;q=0.5,*;q=0.1", "en;q=0,*", ";q=;,,", "zh-Hans-CN;q=1.000"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		if lang := Choose(accept); !Known(lang) {
			t.Fatalf("%q: %q", accept, lang)
		}
	})
}

func TestAddressBeforeCookieBeforeBrowser(t *testing.T) {
	ask := func(path, cookie string) *http.Request {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("Accept-Language", "zh")
		if cookie != "" {
			r.AddCookie(&http.Cookie{Name: Cookie, Value: cookie})
		}
		return r
	}
	for _, c := range []struct{ path, cookie, want string }{
		{"/", "", "zh"}, {"/", "ar", "ar"}, {"/?lang=es", "ar", "es"}, {"/?lang=xx", "ar", "ar"}, {"/?lang=xx", "<script>", "zh"},
	} {
		if got := FromRequest(ask(c.path, c.cookie)); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
	for _, c := range []struct {
		path, cookie string
		sets         bool
	}{{"/?lang=es", "", true}, {"/?lang=es", "ar", true}, {"/?lang=es", "es", false}, {"/?lang=xx", "", false}, {"/", "", false}} {
		w := httptest.NewRecorder()
		Remember(w, ask(c.path, c.cookie), true)
		got := w.Header().Get("Set-Cookie")
		if (got != "") != c.sets || c.sets && (!strings.HasPrefix(got, Cookie+"=es;") || !strings.Contains(got, "Secure") || !strings.Contains(got, "SameSite=Lax")) {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestTheMenuKeepsTheAddress(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/events/a%2Fb?q=x+y&card_token=t&lang=ar", nil)
	menu := Choices(r.URL, "ar", "card_token")
	if len(menu) != len(Languages) || menu[1].Address != "/events/a%2Fb?lang=es&q=x+y" || menu[1].Name != "Español" || menu[1].Current || !menu[4].Current {
		t.Errorf("%+v", menu)
	}
}
