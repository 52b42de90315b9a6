package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The modules' own tests run where the modules run: in a browser. Each function a file testdata/js/*_test.js exports is
// a test.
func TestScripts(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/assets/", Handler(Options{API: http.NotFoundHandler()}))
	mux.Handle("/test/", http.StripPrefix("/test/", http.FileServerFS(os.DirFS("testdata/js"))))
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, "<!doctype html><title>tests</title>")
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)

	files, err := os.ReadDir("testdata/js")
	if err != nil {
		t.Fatal(err)
	}
	ctx := openBrowser(t)
	ran := 0
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), "_test.js") {
			continue
		}
		ran++
		t.Run(strings.TrimSuffix(f.Name(), "_test.js"), func(t *testing.T) {
			run(t, ctx, "open the test page", chromedp.Navigate(server.URL+"/")) // a new page: nothing is left of the file before
			results := evaluate[[]struct{ Name, Error string }](t, ctx, fmt.Sprintf(
				`self.assets = %q, Promise.all([import("/test/check.js"), import("/test/%s")]).then(([check, tests]) => check.runAll(tests))`,
				strings.TrimSuffix(assetURL(""), "/"), f.Name()))
			if len(results) == 0 {
				t.Fatal("the file exports no test")
			}
			for _, r := range results {
				t.Run(r.Name, func(t *testing.T) {
					if r.Error != "" {
						t.Error(r.Error)
					}
				})
			}
		})
	}
	if ran == 0 {
		t.Fatal("testdata/js holds no test")
	}
}
