package web

import (
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

func TestAssetsAreImmutableUnderTheirHash(t *testing.T) {
	h := storefront()
	for name, kind := range map[string]string{
		"js/event.js": "text/javascript; charset=utf-8", "css/base.css": "text/css; charset=utf-8", "icon.svg": "image/svg+xml",
	} {
		res, body := get(t, h, assetURL(name))
		if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != kind || len(body) == 0 {
			t.Errorf("%s: status %d, type %q", name, res.StatusCode, res.Header.Get("Content-Type"))
		}
		if got := res.Header.Get("Cache-Control"); got != cacheImmutable {
			t.Errorf("%s: cache %q, want %q", name, got, cacheImmutable)
		}
	}
	res, _ := get(t, h, assetURL("icon.svg"), "If-None-Match", `"`+assetHash+`"`)
	if res.StatusCode != http.StatusNotModified {
		t.Errorf("known content is sent again: %d", res.StatusCode)
	}
}

// A page of another version asks for its own hash; it gets what we have, and nobody keeps that under the wrong name.
func TestAnotherHashIsAnsweredButNotKept(t *testing.T) {
	res, body := get(t, storefront(), assetPrefix+"0000000000000000/js/dom.js")
	if res.StatusCode != http.StatusOK || res.Header.Get("Cache-Control") != "no-store" || body == "" {
		t.Errorf("status %d, cache %q", res.StatusCode, res.Header.Get("Cache-Control"))
	}
}

func TestAssetsOutsideTheTreeAreNotFound(t *testing.T) {
	h := storefront()
	for _, p := range []string{"", "x", "x/", "x/js", "x/../templates/layout.html", "x/js/..%2f..%2fweb.go", "x/nothing.js"} {
		res, _ := get(t, h, assetPrefix+p)
		if res.StatusCode == http.StatusOK {
			t.Errorf("%s%s is served", assetPrefix, p)
		}
		if cache := res.Header.Get("Cache-Control"); strings.Contains(cache, "immutable") {
			t.Errorf("%s%s: a miss may be kept (%s)", assetPrefix, p, cache)
		}
	}
}

func TestTheHashFollowsNamesAndContent(t *testing.T) {
	file := func(name, content string) fstest.MapFS {
		return fstest.MapFS{"assets/" + name: {Data: []byte(content)}}
	}
	a := hashAssets(file("a.js", "1"))
	if a != hashAssets(file("a.js", "1")) {
		t.Error("the same tree has two hashes")
	}
	if a == hashAssets(file("a.js", "2")) || a == hashAssets(file("b.js", "1")) {
		t.Error("another tree has the same hash")
	}
}

var reference = regexp.MustCompile(`(?:src|href)="(` + assetPrefix + `[^"]+)"`)

func TestPagesReferOnlyToAssetsThatExist(t *testing.T) {
	h := storefront()
	for _, p := range everyPage {
		_, body := get(t, h, p.path)
		found := reference.FindAllStringSubmatch(body, -1)
		if len(found) < 3 {
			t.Errorf("%s refers to %d assets; is the layout missing?", p.path, len(found))
		}
		for _, m := range found {
			if res, _ := get(t, h, m[1]); res.StatusCode != http.StatusOK {
				t.Errorf("%s refers to %s: %d", p.path, m[1], res.StatusCode)
			}
		}
		if strings.Contains(body, "//cdn") || regexp.MustCompile(`(?:src|href)="https?:`).MatchString(body) {
			t.Errorf("%s refers to another site", p.path)
		}
	}
}

var imported = regexp.MustCompile(`(?m)^(?:import|export) .*?from '(\.[^']+)';`)

// A module that imports what is not there fails only in the browser, and only on the page that uses it.
func TestModulesImportOnlyModulesThatExist(t *testing.T) {
	used := map[string]bool{}
	err := fs.WalkDir(assetFiles, "assets/js", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		source, err := fs.ReadFile(assetFiles, name)
		if err != nil {
			return err
		}
		for _, m := range imported.FindAllStringSubmatch(string(source), -1) {
			target := path.Join(path.Dir(name), m[1])
			used[target] = true
			if _, err := asset(strings.TrimPrefix(target, "assets/")); err != nil {
				t.Errorf("%s imports %s: %v", name, m[1], err)
			}
		}
		for _, banned := range []string{"innerHTML", "insertAdjacentHTML", "eval(", "document.write"} {
			if strings.Contains(string(source), banned) && !strings.HasPrefix(name, "assets/js/dom.js") {
				t.Errorf("%s uses %s, which the content policy refuses", name, banned)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(used) < 15 {
		t.Errorf("only %d imports found: does the pattern still fit the sources?", len(used))
	}
}

func TestFaviconIsServedWhereBrowsersLook(t *testing.T) {
	res, _ := get(t, storefront(), "/favicon.ico")
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "image/svg+xml" {
		t.Errorf("status %d, type %q", res.StatusCode, res.Header.Get("Content-Type"))
	}
}
