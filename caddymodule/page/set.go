package page

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"
)

const (
	maxTemplate  = 256 << 10
	maxTexts     = 256 << 10 // a file
	maxLanguages = 64
)

// Options are what an operator may bring. Both may be empty.
type Options struct {
	Template string // html/template source in place of our page
	// Texts are tables by language, as texts/en.json is one. A language we have may change single texts; a new one has
	// to bring all.
	Texts map[string][]byte
	// Hosts are the sources of a CAPTCHA's widget, which the policy has to admit.
	Hosts []string
}

// Set is a template with its texts, checked and ready.
type Set struct {
	page           *template.Template
	tables         map[string]*table
	order          []string // languages, the fallback first
	policy, framed string

	ours     bool // the template is our own
	outlines outlines
}

// Default is the page as it comes. It is built when it is first asked for: commands that serve nobody need none.
var Default = sync.OnceValue(func() *Set {
	s, err := New(Options{})
	if err != nil {
		panic("page: " + err.Error())
	}
	return s
})

// Policy is the Content-Security-Policy of the page and of the check page.
func (s *Set) Policy() string { return s.policy }

// FramedPolicy is that of the page which other sites may frame: a link and nothing else.
func (s *Set) FramedPolicy() string { return s.framed }

// Languages are those there are texts in.
func (s *Set) Languages() []string { return slices.Clone(s.order) }

// New builds a set. Errors are one line that names file, place and cure.
func New(o Options) (*Set, error) {
	texts, err := ownTexts()
	if err != nil {
		return nil, err
	}
	if err := merge(texts, o.Texts); err != nil {
		return nil, err
	}
	s := &Set{tables: make(map[string]*table, len(texts)), order: []string{fallback}}
	for lang, table := range texts {
		t, err := newTable(lang, table)
		if err != nil {
			return nil, fmt.Errorf("texts %s: %w", lang, err)
		}
		if s.tables[lang] = t; lang != fallback {
			s.order = append(s.order, lang)
		}
	}
	sort.Strings(s.order[1:])
	source := o.Template
	if source == "" {
		source, s.ours = htmlSource, true
	}
	if len(source) > maxTemplate {
		return nil, fmt.Errorf("template: %d bytes, at most %d", len(source), maxTemplate)
	}
	if s.page, err = template.New("template").Parse(source); err != nil {
		return nil, fmt.Errorf("template does not parse: %w", err)
	}
	return s, s.check(o.Hosts)
}

func ownTexts() (map[string]map[string]Text, error) {
	out := make(map[string]map[string]Text)
	err := fs.WalkDir(own, "texts", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		var t map[string]Text
		if err := readJSON(own, name, &t); err != nil {
			return err
		}
		out[strings.TrimSuffix(d.Name(), ".json")] = t
		return nil
	})
	return out, err
}

func readJSON(fsys embed.FS, name string, to any) error {
	b, err := fsys.ReadFile(name)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, to)
}

var inline = regexp.MustCompile(`(?is)<(script|style)\b([^>]*)>(.*?)</(?:script|style)\s*>`)

// check renders every state in every language, as visitors will see it: what a template gets wrong is said when the
// configuration is loaded, not to the first visitor. It finds the inline parts that the policy admits, too.
func (s *Set) check(hosts []string) error {
	inlines := map[string]map[string]bool{"script": {js: true, sharedJS: true}, "style": {css: true}}
	for _, lang := range s.order {
		for _, state := range States {
			for _, d := range samples(state, lang) {
				b, err := s.Render(d)
				if err != nil {
					return fmt.Errorf("template fails in state %s: %w", state, err)
				}
				if err := checkWays(b, d); err != nil {
					return fmt.Errorf("template in state %s: %w", state, err)
				}
				for _, m := range inline.FindAllSubmatch(b, -1) {
					if what := strings.ToLower(string(m[1])); !bytes.Contains(m[2], []byte("application/json")) && !bytes.Contains(m[2], []byte("src=")) {
						inlines[what][string(m[3])] = true
					}
				}
			}
		}
	}
	for what, parts := range inlines {
		if len(parts) > maxInline {
			return fmt.Errorf("template: its <%s> differs from visitor to visitor: keep what changes out of it, the policy admits fixed ones only", what)
		}
	}
	p := policy{scripts: sorted(inlines["script"]), styles: sorted(inlines["style"]), hosts: hosts, worker: true, connect: true}
	s.policy = p.String()
	s.framed = policy{styles: p.styles, framed: true}.String()
	return nil
}

const maxInline = 8

// checkWays looks for what nobody can get on without.
func checkWays(b []byte, d Data) error {
	link := `href="` + template.HTMLEscapeString(d.Self) + `"`
	switch {
	case !bytes.Contains(b, []byte(link)) && d.Challenge == "" && d.State != "kept" && d.State != "closed" && d.State != "invited":
		return fmt.Errorf(`without JavaScript nobody could go on: add <a href="{{.Self}}">{{.Button}}</a>`)
	case d.Kept != "" && !bytes.Contains(b, []byte(`name="kept"`)):
		return fmt.Errorf(`what a visitor had filled in would be lost: add the form {{if .Kept}}...{{end}} of our page`)
	case d.Challenge != "" && !bytes.Contains(b, []byte(`name="challenge"`)):
		return fmt.Errorf(`nobody could join while the room asks for work: add the form {{if .Challenge}}...{{end}} of our page`)
	case d.State == "invited" && !bytes.Contains(b, []byte(`name="code"`)):
		return fmt.Errorf(`nobody could use an invitation: add the form {{if .Invite}}...{{end}} of our page`)
	}
	return nil
}

// samples are two visitors of a state, who differ in all that can differ.
func samples(state, lang string) []Data {
	now := time.Unix(1_800_000_000, 0)
	a := Data{Room: "main", Title: "Title", State: state, Language: lang, Base: "/.well-known/ropeline/main/", Self: "/a", Index: -1, Place: -1, Ahead: -1, Low: -1, High: -1,
		Now: now, BeginsAt: now.Add(time.Minute)}
	b := Data{Room: "main", Title: "Another", Message: "Message", State: state, Language: lang, Base: "/.well-known/ropeline/main/", Self: "/b", Post: true, Kept: "kept",
		Epoch: 2, Index: 41, Place: 41, X: 7, Ahead: 34, Low: 61, High: 200, Joined: 1234, RatePerSecond: 20, Slow: true, OpensAt: now.Add(time.Hour), BeginsAt: now.Add(time.Minute),
		Now: now, Commit: strings.Repeat("ab", 32), EntropySource: "a public value", SignIn: "/login", Bad: true}
	if state == "work" {
		a.Challenge, a.Bits, b.Challenge, b.Bits = "c", 16, "d", 20
	}
	a.Shared, b.Shared = state == stateJoining, state == stateJoining
	return []Data{a, b}
}

func sorted(m map[string]bool) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
