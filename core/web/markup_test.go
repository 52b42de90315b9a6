package web

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// element is one start tag of a page.
type element struct {
	name  string
	attrs map[string]string
	label bool // inside a label
}

// elements reads the start tags of a page. encoding/xml reads HTML well enough once void elements close by themselves.
func elements(t *testing.T, page string) []element {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict = false
	d.AutoClose = xml.HTMLAutoClose
	d.Entity = xml.HTMLEntity
	var out []element
	labels := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatalf("not well formed: %v", err)
		}
		switch tok := token.(type) {
		case xml.StartElement:
			e := element{name: tok.Name.Local, attrs: map[string]string{}, label: labels > 0}
			for _, a := range tok.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			if e.name == "label" {
				labels++
			}
			out = append(out, e)
		case xml.EndElement:
			if tok.Name.Local == "label" {
				labels--
			}
		}
	}
}

// What a machine can see of accessibility on every page; the rest takes eyes and a screen reader.
func TestPagesCanBeUsedWithoutSeeingThem(t *testing.T) {
	h := storefront()
	for _, p := range everyPage {
		t.Run(p.path, func(t *testing.T) {
			_, body := get(t, h, p.path)
			all := elements(t, body)
			ids, fors := map[string]int{}, map[string]bool{}
			for _, e := range all {
				if id := e.attrs["id"]; id != "" {
					ids[id]++
				}
				if e.name == "label" {
					fors[e.attrs["for"]] = true
				}
			}
			for id, n := range ids {
				if n > 1 {
					t.Errorf("id %q is there %d times", id, n)
				}
			}
			headings, level := 0, 0
			for _, e := range all {
				switch e.name {
				case "html":
					if e.attrs["lang"] == "" {
						t.Error("the language is not named")
					}
				case "input", "select", "textarea":
					if e.attrs["type"] != "hidden" && !fors[e.attrs["id"]] && !e.label && e.attrs["aria-label"] == "" {
						t.Errorf("field %q has no label", e.attrs["name"]+e.attrs["id"])
					}
				case "img":
					if _, ok := e.attrs["alt"]; !ok {
						t.Errorf("image %q has no alt", e.attrs["src"])
					}
				case "svg":
					if e.attrs["aria-hidden"] != "true" && e.attrs["aria-label"] == "" {
						t.Error("a drawing is neither hidden nor named")
					}
				case "h1", "h2", "h3", "h4":
					n := int(e.name[1] - '0')
					if n == 1 {
						headings++
					}
					if n > level+1 {
						t.Errorf("h%d follows h%d", n, level)
					}
					level = n
				case "main":
					if e.attrs["id"] != "main" {
						t.Error("the skip link has no target")
					}
				}
				for _, name := range []string{"aria-labelledby", "aria-describedby"} {
					if ref := e.attrs[name]; ref != "" && ids[ref] == 0 {
						t.Errorf("%s of <%s> names %q, which is not there", name, e.name, ref)
					}
				}
				for name := range e.attrs {
					if strings.HasPrefix(name, "on") || name == "style" {
						t.Errorf("<%s %s>: the content policy refuses inline script and style", e.name, name)
					}
				}
			}
			if headings != 1 {
				t.Errorf("%d headings of the first level, want 1", headings)
			}
		})
	}
}

// The handles named in doc.go that are in the HTML itself.
func TestDocumentedHandlesAreThere(t *testing.T) {
	h := storefront()
	for path, handles := range map[string][]string{
		"/": {"event-card", "search-form"},
		"/events/lights": {"event-title", "seat-map", "best-quantity", "best-class", "best-pick", "list-toggle", "list-section",
			"list-row", "list-seat", "list-add"},
		"/orders/1-a": {"order"},
	} {
		_, body := get(t, h, path)
		for _, handle := range handles {
			if !strings.Contains(body, `data-testid="`+handle+`"`) {
				t.Errorf("%s: no %s", path, handle)
			}
		}
	}
}
