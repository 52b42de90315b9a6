package eventfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// ParseEvent reads one event as it stands in a file's "events", for whoever names
// it otherwise (by URL): its slug is slug, and may be left out. Findings name the
// fields of the event itself.
func ParseEvent(doc []byte, slug string) (*File, error) {
	doc, err := withSlug(doc, slug)
	if err != nil {
		return nil, err
	}
	file, err := Parse(bytes.Join([][]byte{[]byte(`{"events":[`), doc, []byte(`]}`)}, nil))
	var found Findings
	if errors.As(err, &found) {
		return nil, found.Below("events[0]")
	}
	if err != nil {
		return nil, err
	}
	if len(file.Events) != 1 || file.Venue != nil {
		return nil, Findings{{Text: "is more than one event; write one JSON object"}}
	}
	return file, nil
}

// ParseVenue is ParseEvent for a venue.
func ParseVenue(doc []byte, slug string) (*File, error) {
	doc, err := withSlug(doc, slug)
	if err != nil {
		return nil, err
	}
	file, err := Parse(bytes.Join([][]byte{[]byte(`{"venue":`), doc, []byte(`}`)}, nil))
	var found Findings
	if errors.As(err, &found) {
		return nil, found.Below("venue")
	}
	if err != nil {
		return nil, err
	}
	if file.Venue == nil || len(file.Events) > 0 {
		return nil, Findings{{Text: "is more than one venue; write one JSON object"}}
	}
	return file, nil
}

// withSlug puts the slug into the document where it names none, on the line of its
// opening brace, so that lines stay as they were written.
func withSlug(doc []byte, slug string) ([]byte, error) {
	root, err := parseTree(doc)
	if err != nil {
		var f *Finding
		errors.As(err, &f)
		return nil, Findings{f}
	}
	o, ok := root.val.(*object)
	if !ok {
		return nil, Findings{{Line: root.line, Text: fmt.Sprintf("is %s, want an object {...}", kindOf(root.val))}}
	}
	if n := o.members["slug"]; n != nil {
		if n.val != slug {
			return nil, Findings{{Line: n.line, Field: "slug", Text: fmt.Sprintf("is not %q, which the address names; a slug never changes", slug)}}
		}
		return doc, nil
	}
	name, err := json.Marshal(slug)
	if err != nil {
		return nil, fmt.Errorf("slug: %w", err)
	}
	at := bytes.IndexByte(doc, '{') + 1
	comma := ","
	if len(o.members) == 0 {
		comma = ""
	}
	return bytes.Join([][]byte{doc[:at], []byte(`"slug":`), name, []byte(comma), doc[at:]}, nil), nil
}

// Below names fields as seen from inside of path.
func (fs Findings) Below(path string) Findings {
	out := make(Findings, len(fs))
	for i, f := range fs {
		c := *f
		c.Field = strings.TrimPrefix(strings.TrimPrefix(c.Field, path), ".")
		out[i] = &c
	}
	return out
}

// WithoutLines is for a document that was put together and has no lines of anybody's.
func (fs Findings) WithoutLines() Findings {
	out := make(Findings, len(fs))
	for i, f := range fs {
		c := *f
		c.Line = 0
		out[i] = &c
	}
	return out
}

// Merge applies a merge patch (RFC 7396) to a document: members that are null go,
// objects are merged, everything else is replaced.
func Merge(doc, patch []byte) ([]byte, error) {
	if _, err := parseTree(patch); err != nil { // finds doubled members, which encoding/json takes
		var f *Finding
		errors.As(err, &f)
		return nil, Findings{f}
	}
	target, err := plain(doc)
	if err != nil {
		return nil, fmt.Errorf("document to patch: %w", err)
	}
	change, err := plain(patch)
	if err != nil {
		return nil, Findings{{Line: 1, Text: "is no object; write the members to change, as in {\"title\": \"...\"}"}}
	}
	return json.MarshalIndent(merge(target, change), "", "  ")
}

func plain(doc []byte) (m map[string]any, err error) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	err = d.Decode(&m)
	if err == nil && m == nil {
		err = errors.New("null")
	}
	return m, err
}

func merge(target, patch map[string]any) map[string]any {
	if target == nil {
		target = map[string]any{}
	}
	for k, v := range patch {
		switch v := v.(type) {
		case nil:
			delete(target, k)
		case map[string]any:
			inner, _ := target[k].(map[string]any)
			target[k] = merge(inner, v)
		default:
			target[k] = v
		}
	}
	return target
}
