package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html/template"
	"time"
)

//go:embed entry.html
var entrySource string

//go:embed entry.js
var entryJS string

var entryTmpl = template.Must(template.New("entry").Parse(entrySource))

// stateJoining is the state of a page that knows nobody's place yet.
const stateJoining = "joining"

// Shared is the waiting page as a cache gives it to everybody: nothing in it is one visitor's. Its script asks for a place and
// goes on as the page of the edge does. The entry stands at a fixed address and leads to the page of the visitor's language,
// whose address names its content: so that what is fixed may be small and what is kept for long never changes.
type Shared struct {
	Version string // of the pages
	Entry   []byte
	Pages   map[string][]byte // by language

	EntryPolicy string // Content-Security-Policy of the entry; the pages have the set's own
}

// Shared renders a room's pages for a cache. Base is the room's reserved prefix.
func (s *Set) Shared(room, title, base string) (*Shared, error) {
	out, sum := &Shared{Pages: map[string][]byte{}}, sha256.New()
	for _, lang := range s.order {
		b, err := s.Render(Data{Room: room, Title: title, Base: base, Self: base + "line", Language: lang, State: stateJoining, Shared: true,
			Index: -1, Place: -1, Ahead: -1, Low: -1, High: -1, Now: time.Unix(0, 0)})
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(b, []byte(sharedJS)) || !bytes.Contains(b, []byte(`"state":"`+stateJoining+`"`)) {
			return nil, fmt.Errorf(`template: a page that a cache gives to everybody finds its place by its script: add our page's two script elements with {{.Boot}} and {{.JS}}`)
		}
		out.Pages[lang] = b
		_, _ = sum.Write(b)
	}
	out.Version = hex.EncodeToString(sum.Sum(nil)[:6])
	boot, err := json.Marshal(map[string]any{"at": base + "wait/" + out.Version + "/", "langs": s.order})
	if err != nil {
		return nil, err
	}
	v := entryView{Title: title, Line: base + "line", CSS: template.CSS(css), JS: template.JS(entryJS), Boot: template.JS(boot)}
	for _, lang := range s.order {
		t := s.tables[lang]
		v.Languages = append(v.Languages, entryLanguage{lang, t.words["joiningNote"], t.words["buttonJoin"], rtl(lang)})
	}
	var b bytes.Buffer
	if err := entryTmpl.Execute(&b, v); err != nil {
		return nil, err
	}
	out.Entry, out.EntryPolicy = b.Bytes(), policy{scripts: []string{entryJS}, styles: []string{css}}.String()
	return out, nil
}

type entryView struct {
	Title, Line string
	Languages   []entryLanguage
	CSS         template.CSS
	JS, Boot    template.JS
}

type entryLanguage struct {
	Lang, Note, Button string
	RTL                bool
}
