package api

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/ropeline/ropeline/core/event/eventfile"
)

// isText: PostgreSQL stores no NUL and nothing that is not UTF-8.
func isText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// level is an object or a list of a body that is being read.
type level struct {
	members map[string]bool // nil: a list
	name    string          // of the member whose value comes next; "" if a name does
}

// checkMembers refuses what encoding/json lets pass: a member that is there twice, of
// which the last one counts here and perhaps the first one at a proxy; a member in other
// letters ("SEATS"), which it takes for the one in ours; text that is none. What is
// no JSON at all is left to the decoder, which has the words for it.
func checkMembers(body []byte) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var stack []*level
	for {
		begin := d.InputOffset()
		token, err := d.Token()
		if err != nil {
			return nil // the end, or no JSON
		}
		var in *level
		if len(stack) > 0 {
			in = stack[len(stack)-1]
		}
		switch token := token.(type) {
		case json.Delim:
			if token == '}' || token == ']' {
				stack = stack[:len(stack)-1]
				continue
			}
			in.took()
			next := &level{}
			if token == '{' {
				next.members = make(map[string]bool)
			}
			stack = append(stack, next)
			continue
		case string:
			if in != nil && in.members != nil && in.name == "" {
				if err := in.enter(token); err != nil {
					return err
				}
				continue
			}
			if wrong := notText(token, body[begin:d.InputOffset()]); wrong != "" {
				name := "the body"
				if in != nil && in.name != "" {
					name = in.name
				}
				return errInvalidBody.Say("%s: has %s.", name, wrong).With("field", name)
			}
		}
		in.took()
	}
}

// notText says what of a text is no character that could be stored; raw is how it stands
// in the body.
func notText(s string, raw []byte) string {
	switch {
	case !isText(s):
		return "the character NUL"
	case strings.ContainsRune(s, utf8.RuneError) && eventfile.HalfPair(raw):
		return "half of a surrogate pair"
	}
	return ""
}

// took: the value has come.
func (l *level) took() {
	if l != nil {
		l.name = ""
	}
}

// enter takes the name of a member.
func (l *level) enter(name string) error {
	// Ours are lower case ASCII; folding would also let "ſeats" pass.
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		return errInvalidBody.Say("%q: is no member of this call.", clip(name)).With("field", clip(name))
	}
	if l.members[name] {
		return errInvalidBody.Say("%s: is there more than once.", clip(name)).With("field", clip(name))
	}
	l.members[name], l.name = true, name
	return nil
}
