package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
)

// A plan is drawn in centimetres, so that whole numbers are exact enough: seats
// half a metre apart stay evenly spaced, and the file stays small.
type seat struct{ x, y float64 }

type row struct {
	name  string
	seats []seat // in the order of their numbers, from 1
}

type section struct {
	name, class string
	rows        []row
}

type label struct {
	name       string
	x, y, w, h int
}

func seatsOf(sections []section) int {
	n := 0
	for _, s := range sections {
		for _, r := range s.rows {
			n += len(r.seats)
		}
	}
	return n
}

// trim takes surplus seats from the last rows of the named sections in turn, one
// from each end, so that all of them end up with a shorter last row.
func trim(sections []*section, surplus int) {
	for i := 0; surplus > 0; i++ {
		s := sections[i%len(sections)]
		last := &s.rows[len(s.rows)-1]
		if i/len(sections)%2 == 0 {
			last.seats = last.seats[:len(last.seats)-1]
		} else {
			last.seats = last.seats[1:]
		}
		if len(last.seats) == 0 {
			s.rows = s.rows[:len(s.rows)-1]
		}
		surplus--
	}
}

// writeVenue writes the venue with one row of seats a line: an editor opens it,
// a diff shows rows, and an error message with a line number means something.
func writeVenue(b *bytes.Buffer, head string, width, height int, sections []section, labels []label) {
	fmt.Fprintf(b, "  \"venue\": {\n    %s,\n    \"width\": %d, \"height\": %d,\n    \"sections\": [\n", head, width, height)
	for i, s := range sections {
		fmt.Fprintf(b, "      {\"name\": %s, \"class\": %s, \"rows\": [\n", quoted(s.name), quoted(s.class))
		for j, r := range s.rows {
			fmt.Fprintf(b, "        {\"name\": %s, \"seats\": [", quoted(r.name))
			for k, p := range r.seats {
				fmt.Fprintf(b, "%s[\"%d\",%d,%d]", comma(k > 0), k+1, int(math.Round(p.x)), int(math.Round(p.y)))
			}
			fmt.Fprintf(b, "]}%s\n", comma(j < len(s.rows)-1))
		}
		fmt.Fprintf(b, "      ]}%s\n", comma(i < len(sections)-1))
	}
	b.WriteString("    ],\n    \"areas\": [\n")
	for i, l := range labels {
		fmt.Fprintf(b, "      {\"name\": %s, \"x\": %d, \"y\": %d, \"w\": %d, \"h\": %d}%s\n", quoted(l.name), l.x, l.y, l.w, l.h, comma(i < len(labels)-1))
	}
	b.WriteString("    ]\n  },\n")
}

func comma(yes bool) string {
	if yes {
		return ","
	}
	return ""
}

func quoted(s string) string {
	q, _ := json.Marshal(s) // a string always marshals
	return string(q)
}
