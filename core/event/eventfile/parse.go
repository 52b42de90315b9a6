package eventfile

import (
	"bytes"
	"errors"
	"fmt"
	"sort"
)

// Limits of what one file may hold.
const (
	maxEvents   = 5000
	maxSections = 2000
	maxRows     = 500
	maxSeats    = 200_000 // of a venue, and of one row
	maxAreas    = 200
	maxPrices   = 50
	maxCounters = 100
	maxCapacity = 1_000_000
	maxQuality  = 1000
	maxPresales = 20
	maxBlocked  = 2000
	maxAmount   = 1_000_000_00000 // minor units: a slip of the keyboard, not a price
	maxName     = 120
	maxText     = 4000
)

// mark is how some editors, and spreadsheets, begin a file in UTF-8.
var mark = []byte("\xef\xbb\xbf")

// Parse reads a file. The error is a Findings: everything wrong with the file, up
// to MaxFindings, in the file's order.
func Parse(data []byte) (*File, error) {
	if len(data) > MaxBytes {
		return nil, Findings{{Text: fmt.Sprintf("has %d bytes, at most %d", len(data), MaxBytes)}}
	}
	root, err := parseTree(bytes.TrimPrefix(data, mark))
	if err != nil {
		var f *Finding
		errors.As(err, &f)
		return nil, Findings{f}
	}
	b := &binder{}
	file := b.file(root)
	if len(b.findings) > 0 {
		return nil, report(b.findings)
	}
	return file, nil
}

func (b *binder) file(root *node) *File {
	file := &File{}
	f := b.object(root, "")
	if f == nil {
		return file
	}
	if n := f.get("venue"); n != nil {
		file.Venue = b.venue(n)
	}
	slugs := map[string]int{}
	for i, n := range f.list("events", maxEvents) {
		e := b.event(n, fmt.Sprintf("events[%d]", i), file.Venue)
		if first, twice := slugs[e.Slug]; twice && e.Slug != "" {
			b.addf(n.line, e.Path+".slug", "is %q, as on line %d; each event has its own", e.Slug, first)
		}
		slugs[e.Slug] = n.line
		file.Events = append(file.Events, e)
	}
	f.done()
	if file.Venue == nil && len(file.Events) == 0 && len(b.findings) == 0 {
		b.addf(f.line, "", "holds neither a \"venue\" nor \"events\"")
	}
	return file
}

// report puts findings into the order of the file (cross checks come late) and
// says how many it leaves out.
func report(fs Findings) Findings {
	sort.SliceStable(fs, func(i, j int) bool { return fs[i].Line < fs[j].Line })
	if more := len(fs) - MaxFindings; more > 0 {
		fs = append(fs[:MaxFindings:MaxFindings], &Finding{Text: fmt.Sprintf("and %d more", more)})
	}
	return fs
}
