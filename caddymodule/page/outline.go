package page

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"html/template"
	"strings"
	"sync"
)

// An outline is our page as the template made it once, with holes where visitors differ: numbers, the wait, their own URL and
// what the script starts from. Running the template is half of what the page costs, and a crowd asks for one page with some
// numbers changed. Values that any context would have to escape go through the template, as does an operator's own template,
// which may ask anything of them.
type outline struct {
	parts [][]byte // one more than holes
	holes []int    // which value stands between
}

// outlineKey is everything of a view that decides what the template writes outside of the holes.
type outlineKey struct {
	data                                                   Data // without what varies
	table                                                  *table
	unit, why, rate, opensLabel, opensText, button, source string
	percent, offset, dotX, dotY                            int
	noRope, word, noButton, draw, drawOpen                 bool
	filled                                                 [holes]bool // {{if}} asks whether there is anything
}

// The holes. Boot is the last.
const (
	holeTitle = iota
	holeBig
	holeWait
	holePlace
	holeJoined
	holeSelf
	holeBoot
	holes
)

// maxOutlines bounds the memory; rooms with more titles, messages and languages than that begin anew.
const maxOutlines = 256

type outlines struct {
	mu  sync.RWMutex
	all map[outlineKey]*outline // nil: this page cannot be filled
}

// marks stand in the holes while the template runs: letters and digits alone, which no context changes, and nobody's text.
var marks = func() (m [holes]string) {
	b := make([]byte, 12)
	_, _ = rand.Read(b)
	for i := range m {
		m[i] = "rl" + hex.EncodeToString(b) + string(rune('a'+i))
	}
	return m
}()

func (v *view) values() [holes]string {
	return [holes]string{v.DocTitle, v.Big, v.Wait, v.PlaceText, v.JoinedText, v.Self, string(v.Boot)}
}

// plainPath are the bytes of a URL that stay as they are in an attribute.
func plainPath(s string) bool {
	return strings.HasPrefix(s, "/") && !strings.ContainsFunc(s, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && !strings.ContainsRune("/._~-", c)
	})
}

// fillable says whether every value stays as it is in its hole.
func (v *view) fillable() bool {
	if v.Shared || v.Kept != "" || v.Challenge != "" || v.Captcha != "" || !plainPath(v.Self) {
		return false
	}
	for i, s := range v.values() {
		if i < holeSelf && strings.ContainsAny(s, "\x00\"&'+<>`") {
			return false
		}
	}
	return true
}

func (v *view) outlineKey(t *table) outlineKey {
	k := outlineKey{data: v.Data, table: t, unit: v.Unit, why: v.Why, rate: v.RateText, opensLabel: v.OpensLabel, opensText: v.OpensText,
		button: v.Button, source: v.Source, percent: v.Percent, offset: v.Offset, dotX: v.DotX, dotY: v.DotY,
		noRope: v.NoRope, word: v.Word, noButton: v.NoButton, draw: v.Draw, drawOpen: v.DrawOpen}
	d := &k.data
	d.Language, d.Self, d.Now = "", "", k.data.OpensAt
	d.Epoch, d.Index, d.Place, d.X, d.Ahead, d.Low, d.High, d.Joined = 0, 0, 0, 0, 0, 0, 0, 0
	for i, s := range v.values() {
		k.filled[i] = s != ""
	}
	return k
}

// fill writes the page of a view if there is an outline for it, or one can be made.
func (s *Set) fill(out *bytes.Buffer, v *view, t *table) (bool, error) {
	if !s.ours || !v.fillable() {
		return false, nil
	}
	k := v.outlineKey(t)
	s.outlines.mu.RLock()
	o, known := s.outlines.all[k]
	s.outlines.mu.RUnlock()
	if !known {
		var err error
		if o, err = s.outline(*v); err != nil {
			return false, err
		}
		s.outlines.mu.Lock()
		if s.outlines.all == nil || len(s.outlines.all) >= maxOutlines {
			s.outlines.all = map[outlineKey]*outline{}
		}
		s.outlines.all[k] = o
		s.outlines.mu.Unlock()
	}
	if o == nil {
		return false, nil
	}
	o.write(out, v.values())
	return true, nil
}

func (o *outline) write(out *bytes.Buffer, values [holes]string) {
	for i, part := range o.parts {
		out.Write(part)
		if i < len(o.holes) {
			out.WriteString(values[o.holes[i]])
		}
	}
}

// outline runs the template with marks, and without to see that the filled outline is the same page; nil if it is not.
func (s *Set) outline(v view) (*outline, error) {
	values := v.values()
	var whole, marked, filled bytes.Buffer
	if err := s.page.Execute(&whole, v); err != nil {
		return nil, err
	}
	for i, field := range []*string{&v.DocTitle, &v.Big, &v.Wait, &v.PlaceText, &v.JoinedText, &v.Self} {
		if *field != "" {
			*field = marks[i]
		}
	}
	v.Boot = template.JS(marks[holeBoot])
	if err := s.page.Execute(&marked, v); err != nil {
		return nil, err
	}
	o := new(outline)
	rest, common := marked.Bytes(), []byte(marks[0][:len(marks[0])-1])
	for {
		before, after, found := bytes.Cut(rest, common)
		o.parts = append(o.parts, bytes.Clone(before))
		if !found {
			break
		}
		o.holes = append(o.holes, int(after[0]-'a'))
		rest = after[1:]
	}
	if o.write(&filled, values); !bytes.Equal(filled.Bytes(), whole.Bytes()) {
		return nil, nil
	}
	return o, nil
}
