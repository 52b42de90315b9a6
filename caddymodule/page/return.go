package page

import (
	"bytes"
	_ "embed"
	"html/template"
)

//go:embed return.html
var returnSource string

// returnJS presses the button for those who have scripts. `submit` may be the name of a field, so it is taken from
// the prototype.
const returnJS = `HTMLFormElement.prototype.submit.call(document.forms[0])`

var returnTmpl = template.Must(template.New("return").Parse(returnSource))

// ReturnPolicy is the Content-Security-Policy of the page behind return_path.
var ReturnPolicy = policy{scripts: []string{returnJS}, styles: []string{css}}.String()

// Field is one field of a form.
type Field struct{ Name, Value string }

// RenderReturn writes a page that posts the fields to self, from this site.
func (s *Set) RenderReturn(language, self string, fields []Field) ([]byte, error) {
	t := s.choose(language)
	var b bytes.Buffer
	err := returnTmpl.Execute(&b, map[string]any{"Lang": t.lang, "RTL": rtl(t.lang), "T": t.words, "Self": self, "Fields": fields,
		"CSS": template.CSS(css), "JS": template.JS(returnJS)})
	return b.Bytes(), err
}
