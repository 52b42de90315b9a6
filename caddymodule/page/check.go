package page

import (
	"bytes"
	_ "embed"
	"html/template"
)

//go:embed check.html
var checkSource string

var checkTmpl = template.Must(template.New("check").Parse(checkSource))

// Check is what somebody sees who wants to check the draw.
type Check struct {
	Title, Language, Base, URL string // URL: of the record, for the command
	Index, Place, N            int64  // -1 unknown; N -1 before the freeze
	Leaf, Receipt              string // empty: this visitor has no place
	Commit, EntropySource      string
}

type checkView struct {
	Check
	Lang, DrawText, Source, IndexText, PlaceText string
	Missing, Late, RTL                           bool
	T                                            map[string]string
	CSS                                          template.CSS
}

// RenderCheck writes the page. It has no script: what it says can be checked elsewhere, not by it.
func RenderCheck(c Check) ([]byte, error) {
	lang := pick(c.Language)
	t := texts[lang]
	v := checkView{Check: c, Lang: lang, T: t, CSS: template.CSS(css), Missing: c.Receipt == "", Late: c.N >= 0 && c.Index >= c.N, RTL: rtl(lang)}
	v.DrawText, v.Source = drawSentence(t, c.EntropySource)
	if c.Index >= 0 {
		v.IndexText = number(c.Index, lang)
	}
	if c.Place >= 0 {
		v.PlaceText = number(c.Place+1, lang)
	}
	var b bytes.Buffer
	err := checkTmpl.Execute(&b, v)
	return b.Bytes(), err
}

// drawSentence says which of the two statements about a draw holds, and names the public value's source.
func drawSentence(t map[string]string, source string) (sentence, named string) {
	if source != "" && source != "none" {
		return t["drawPublic"], source
	}
	return t["drawNone"], ""
}
