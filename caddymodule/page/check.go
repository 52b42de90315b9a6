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
func (s *Set) RenderCheck(c Check) ([]byte, error) {
	t := s.choose(c.Language)
	v := checkView{Check: c, Lang: t.lang, T: t.words, CSS: template.CSS(css), Missing: c.Receipt == "", Late: c.N >= 0 && c.Index >= c.N, RTL: rtl(t.lang)}
	v.DrawText, v.Source = t.drawSentence(c.EntropySource)
	if c.Index >= 0 {
		v.IndexText = t.number(c.Index + 1) // its line in the list: what people read counts from 1
	}
	if c.Place >= 0 {
		v.PlaceText = t.number(c.Place + 1)
	}
	var b bytes.Buffer
	err := checkTmpl.Execute(&b, v)
	return b.Bytes(), err
}
