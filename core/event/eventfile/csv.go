package eventfile

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

// ParseCSV reads a table: of events, one line for each price or counter, or of the
// seats of one venue, when there is a column "section". It becomes the same tree as a
// JSON file and is read by the same rules; findings name columns instead of fields.
func ParseCSV(data []byte) (*File, error) {
	if len(data) > MaxBytes {
		return nil, Findings{{Text: fmt.Sprintf("has %d bytes, at most %d", len(data), MaxBytes)}}
	}
	t, err := readTable(data)
	if err != nil {
		return nil, err
	}
	var root *node
	b := &binder{}
	if t.has("section") {
		root = b.venueTable(t)
	} else {
		root = b.eventTable(t)
	}
	var file *File
	if len(b.findings) == 0 {
		file = b.file(root)
	}
	if len(b.findings) > 0 {
		return nil, report(b.findings).Columns()
	}
	return file, nil
}

// table is a CSV file with the lines its records stand on.
type table struct {
	header []string
	rows   []tableRow
}

type tableRow struct {
	line  int
	cells map[string]*node // those that are not empty
}

func (t *table) has(column string) bool {
	for _, h := range t.header {
		if h == column {
			return true
		}
	}
	return false
}

func readTable(data []byte) (*table, error) {
	data = bytes.TrimPrefix(data, mark)
	r := csv.NewReader(bytes.NewReader(data))
	if first, _, _ := bytes.Cut(data, []byte("\n")); bytes.Count(first, []byte(";")) > bytes.Count(first, []byte(",")) {
		r.Comma = ';' // and write this where the comma is a decimal sign
	}
	header, err := r.Read()
	if err != nil {
		return nil, tableError(err, "is empty; the first line names the columns")
	}
	t := &table{}
	kinds, known := columnsOf(header)
	for i, name := range header {
		name = strings.TrimSpace(name)
		switch {
		case !utf8.ValidString(name):
			return nil, Findings{{Line: 1, Text: fmt.Sprintf("the name of column %d is not UTF-8; %s", i+1, encodingCure)}}
		case kinds[name] == 0:
			return nil, Findings{{Line: 1, Field: name, Text: "is no column we know" + hint(name, known)}}
		case t.has(name):
			return nil, Findings{{Line: 1, Field: name, Text: fmt.Sprintf("is there twice (again as column %d); remove one", i+1)}}
		}
		t.header = append(t.header, name)
	}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, tableError(err, "")
		}
		line, _ := r.FieldPos(0)
		row := tableRow{line: line, cells: map[string]*node{}}
		for i, name := range t.header {
			if text := strings.TrimSpace(record[i]); text != "" {
				at, _ := r.FieldPos(i)
				switch {
				case !utf8.ValidString(text):
					return nil, Findings{{Line: at, Field: name, Text: fmt.Sprintf("%q is not UTF-8; %s", text, encodingCure)}}
				case strings.IndexByte(text, 0) >= 0:
					return nil, Findings{{Line: at, Field: name, Text: "has the character NUL; remove it"}}
				}
				row.cells[name] = kinds[name].node(at, text)
			}
		}
		if len(row.cells) > 0 { // a line of nothing but commas ends many tables
			t.rows = append(t.rows, row)
		}
	}
}

func hint(name string, known []string) string {
	if h := didYouMean(name, known); h != "" {
		return h
	}
	return "; there are: " + strings.Join(known, ", ")
}

func tableError(err error, empty string) error {
	var bad *csv.ParseError
	switch {
	case errors.Is(err, io.EOF):
		return Findings{{Line: 1, Text: empty}}
	case errors.Is(err, csv.ErrFieldCount) && errors.As(err, &bad):
		return Findings{{Line: bad.Line, Text: "has another number of cells than the first line; quote a cell that contains the separator"}}
	case errors.As(err, &bad):
		return Findings{{Line: bad.Line, Text: fmt.Sprintf("not CSV: %v", bad.Err)}}
	}
	return Findings{{Text: err.Error()}}
}

// cellKind is what a column holds.
type cellKind uint8

const (
	textCell cellKind = iota + 1
	numberCell
	flagCell
	listCell // words between semicolons or bars
)

var numberForm = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

// node makes of a cell what a JSON file would have there. What has not the form of its
// kind stays a text, which the rules then refuse by name.
func (k cellKind) node(line int, text string) *node {
	n := &node{line: line, val: text}
	switch {
	case k == numberCell && numberForm.MatchString(text):
		n.val = json.Number(text)
	case k == flagCell && (text == "true" || text == "false"):
		n.val = text == "true"
	case k == listCell:
		var items []*node
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ';' || r == '|' }) {
			items = append(items, &node{line: line, val: strings.TrimSpace(word)})
		}
		n.val = items
	}
	return n
}
