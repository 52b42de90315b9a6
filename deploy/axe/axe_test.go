package axe

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/ropeline/ropeline/deploy/chromium"
)

// A judge that never finds anything would pass every page: this one finds what is wrong, and nothing where nothing is.
func TestTheJudgeSees(t *testing.T) {
	const good = `<!doctype html><html lang="en"><title>x</title><main><h1>x</h1><p>y</p></main>`
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// As strict as the pages' own policies: the judge must get past them.
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; require-trusted-types-for 'script'; trusted-types 'none'")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		page := good
		if r.URL.Path == "/bad" {
			page = good + `<img src="/x"><p style="color:#999;background:#fff">hard to read</p><input>`
		}
		_, _ = w.Write([]byte(page))
	}))
	t.Cleanup(site.Close)
	ctx := chromium.Tab(t, 3*time.Minute)
	judged := func(path string) (ids []string) {
		if err := chromedp.Do(ctx, chromedp.Navigate(site.URL+path)); err != nil {
			t.Fatal(err)
		}
		for _, f := range Judge(t, ctx) {
			ids = append(ids, f.ID)
		}
		return ids
	}
	if ids := judged("/good"); len(ids) != 0 {
		t.Errorf("a good page: %v", ids)
	}
	bad := judged("/bad")
	for _, id := range []string{"image-alt", "color-contrast", "label"} {
		if !slices.Contains(bad, id) {
			t.Errorf("%s is not found: %v", id, bad)
		}
	}
}
