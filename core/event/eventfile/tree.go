package eventfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Limits of a file, well above any real venue. They bound memory, not business.
const (
	MaxBytes = 64 << 20
	maxDepth = 16
)

// node is one JSON value with the line it stands on.
type node struct {
	line int
	val  any // string, json.Number, bool, nil, *object, []*node
}

type object struct {
	members map[string]*node
	keys    []string // in the order of the file
	lines   map[string]int
}

// tree reads one JSON document. encoding/json's tokens do the lexing; only the
// line numbers, the depth and the refusal of duplicate keys are ours.
type tree struct {
	dec      *json.Decoder
	data     []byte
	newlines []int // offsets of '\n'
}

// encodingCure is what to do about a file that is not UTF-8.
const encodingCure = "save the file as UTF-8"

func parseTree(data []byte) (*node, error) {
	t := &tree{dec: json.NewDecoder(bytes.NewReader(data)), data: data}
	t.dec.UseNumber()
	for i, b := range data {
		if b == '\n' {
			t.newlines = append(t.newlines, i)
		}
	}
	if at, whole := wholeText(data); !whole {
		line := t.line(int64(at))
		begin := bytes.LastIndexByte(data[:at], '\n') + 1
		return nil, &Finding{Line: line, Text: fmt.Sprintf("byte %d of the line is not UTF-8; %s", at-begin+1, encodingCure)}
	}
	n, err := t.value(0)
	if err != nil {
		return nil, t.explain(err)
	}
	if _, err := t.dec.Token(); err != io.EOF {
		return nil, &Finding{Line: t.line(t.dec.InputOffset()), Text: "something follows the document; one file holds one JSON object"}
	}
	return n, nil
}

// wholeText: the bytes are UTF-8; if not, at is the first that is none. encoding/json
// would make U+FFFD of it, and nobody would see the name again that was written.
func wholeText(data []byte) (at int, whole bool) {
	for at < len(data) {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return at, false
		}
		at += size
	}
	return at, true
}

// line of a byte offset, counted from 1. A token never spans lines, so the
// offset of its end, which is all the decoder gives, has the same line.
func (t *tree) line(offset int64) int {
	return 1 + sort.SearchInts(t.newlines, int(offset))
}

func (t *tree) explain(err error) error {
	var f *Finding
	if errors.As(err, &f) {
		return f
	}
	// Since Go 1.27 the decoder tells an early end as a SyntaxError that only its words set apart.
	var syntax *json.SyntaxError
	early := errors.As(err, &syntax) && strings.Contains(syntax.Error(), "unexpected end")
	if early || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &Finding{Line: 1 + len(t.newlines), Text: "the file ends in the middle of a value"}
	}
	// SyntaxError.Offset counts from the last token; the place is after that token
	// and what separates it from the next.
	offset := int(t.dec.InputOffset())
	for offset < len(t.data)-1 && bytes.IndexByte([]byte(" \t\r\n:,"), t.data[offset]) >= 0 {
		offset++
	}
	return &Finding{Line: t.line(int64(offset)), Text: fmt.Sprintf("not JSON: %v", err)}
}

func (t *tree) value(depth int) (*node, error) {
	begin := t.dec.InputOffset()
	tok, err := t.dec.Token()
	if err != nil {
		return nil, err
	}
	n := &node{line: t.line(t.dec.InputOffset())}
	if depth > maxDepth {
		return nil, &Finding{Line: n.line, Text: fmt.Sprintf("nested deeper than %d levels", maxDepth)}
	}
	switch tok {
	case json.Delim('{'):
		n.val, err = t.object(depth)
	case json.Delim('['):
		n.val, err = t.array(depth)
	default:
		n.val = tok
		if s, isText := tok.(string); isText {
			switch {
			case strings.IndexByte(s, 0) >= 0:
				return nil, &Finding{Line: n.line, Text: "has the character NUL; remove it"}
			case strings.ContainsRune(s, utf8.RuneError) && HalfPair(t.data[begin:t.dec.InputOffset()]):
				return nil, &Finding{Line: n.line, Text: "has half of a surrogate pair (\\ud800 to \\udfff), which is no character; write the character itself, and " + encodingCure}
			}
		}
	}
	return n, err
}

// HalfPair: a text as it stands in the file escapes a surrogate that has no partner.
func HalfPair(raw []byte) bool {
	unit := func(at int) (rune, bool) {
		if at+6 > len(raw) || raw[at] != '\\' || raw[at+1] != 'u' {
			return 0, false
		}
		v, err := strconv.ParseUint(string(raw[at+2:at+6]), 16, 16)
		return rune(v), err == nil
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		r, escaped := unit(i)
		if !escaped {
			i++ // what is escaped is no beginning of an escape
			continue
		}
		if utf16.IsSurrogate(r) {
			second, _ := unit(i + 6)
			if utf16.DecodeRune(r, second) == utf8.RuneError {
				return true
			}
			i += 6
		}
		i += 5
	}
	return false
}

// within puts what holds it before the path of a finding, on the way out: a path that
// was kept on the way in would be built for each of 300,000 numbers of a stadium.
func within(outer string, err error) error {
	var f *Finding
	if errors.As(err, &f) {
		f.Field = below(outer, f.Field)
	}
	return err
}

func below(path, key string) string {
	if path == "" || key == "" || key[0] == '[' {
		return path + key
	}
	return path + "." + key
}

func (t *tree) object(depth int) (*object, error) {
	o := &object{members: map[string]*node{}, lines: map[string]int{}}
	for t.dec.More() {
		tok, err := t.dec.Token()
		if err != nil {
			return nil, err
		}
		key := tok.(string) // the decoder accepts nothing else here
		line := t.line(t.dec.InputOffset())
		if _, twice := o.members[key]; twice {
			return nil, &Finding{Line: line, Field: key, Text: fmt.Sprintf("is there twice (first on line %d); remove one", o.lines[key])}
		}
		v, err := t.value(depth + 1)
		if err != nil {
			return nil, within(key, err)
		}
		o.members[key], o.lines[key] = v, line
		o.keys = append(o.keys, key)
	}
	_, err := t.dec.Token() // the closing brace
	return o, err
}

func (t *tree) array(depth int) ([]*node, error) {
	items := []*node{}
	for t.dec.More() {
		v, err := t.value(depth + 1)
		if err != nil {
			return nil, within(fmt.Sprintf("[%d]", len(items)), err)
		}
		items = append(items, v)
	}
	_, err := t.dec.Token()
	return items, err
}
