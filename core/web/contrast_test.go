package web

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var token = regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]{6});`)

// themes reads the colours of base.css: light, and dark where it differs.
func themes(t *testing.T) map[string]map[string]string {
	t.Helper()
	css, err := assetFiles.ReadFile("assets/css/base.css")
	if err != nil {
		t.Fatal(err)
	}
	light, dark, ok := strings.Cut(string(css), "@media (prefers-color-scheme: dark)")
	if !ok {
		t.Fatal("base.css has no dark theme")
	}
	dark, _, _ = strings.Cut(dark, "*, *::before")
	out := map[string]map[string]string{"light": {}, "dark": {}}
	for _, m := range token.FindAllStringSubmatch(light, -1) {
		out["light"][m[1]], out["dark"][m[1]] = m[2], m[2]
	}
	for _, m := range token.FindAllStringSubmatch(dark, -1) {
		out["dark"][m[1]] = m[2]
	}
	return out
}

// luminance and contrast as WCAG 2.2 defines them.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
	if err != nil || hex == "" {
		t.Fatalf("no colour: %q", hex)
	}
	channel := func(v uint64) float64 {
		c := float64(v&0xff) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(n>>16) + 0.7152*channel(n>>8) + 0.0722*channel(n)
}

func TestColoursKeepTheirContrast(t *testing.T) {
	const text, sign = 4.5, 3.0 // WCAG 2.2: 1.4.3 for text, 1.4.11 for what must be seen
	pairs := []struct {
		front, back string
		least       float64
	}{
		{"ink", "ground", text}, {"ink", "surface", text}, {"ink-soft", "ground", text}, {"ink-soft", "surface", text}, {"ink-soft", "raised", text},
		{"velvet", "ground", text}, {"velvet", "surface", text}, {"on-velvet", "velvet", text}, {"on-velvet", "velvet-deep", text},
		{"good", "good-soft", text}, {"bad", "bad-soft", text}, {"warn", "warn-soft", text}, {"bad", "surface", text},
		{"line-strong", "surface", sign}, {"line-strong", "ground", sign}, {"focus", "ground", sign}, {"focus", "surface", sign}, {"focus", "map-section", sign},
		{"map-area-ink", "map-area", text}, {"map-ink", "map-section", text}, {"map-chosen", "map-section", sign}, {"map-mine", "map-section", sign},
		{"map-chosen-ink", "map-chosen", text}, {"map-held", "map-section", sign},
	}
	for name, theme := range themes(t) {
		for _, p := range pairs {
			a, b := luminance(t, theme[p.front]), luminance(t, theme[p.back])
			if got := (math.Max(a, b) + 0.05) / (math.Min(a, b) + 0.05); got < p.least {
				t.Errorf("%s: %s on %s is %.2f:1, want %.1f", name, p.front, p.back, got, p.least)
			}
		}
	}
}
