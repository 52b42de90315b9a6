package eventfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
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

func parseTree(data []byte) (*node, error) {
	t := &tree{dec: json.NewDecoder(bytes.NewReader(data)), data: data}
	t.dec.UseNumber()
	for i, b := range data {
		if b == '\n' {
			t.newlines = append(t.newlines, i)
		}
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
	}
	return n, err
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
			return nil, err
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
			return nil, err
		}
		items = append(items, v)
	}
	_, err := t.dec.Token()
	return items, err
}
