package event

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/event/eventfile"
	"github.com/ropeline/ropeline/core/pg"
)

// geometryDocument writes the JSON that is served at /v1/geometry/{hash} and its
// hash. Seats are numbered 1..n in the order of the file, without gaps; that
// order is what package seatmap counts in, so the document never changes once an
// event uses it.
//
// It is written by hand and not by encoding/json: the bytes name themselves by
// their hash, so the next version of a library must not space them differently.
func geometryDocument(v *eventfile.Venue) (doc []byte, hash string) {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"venue":%s,"seat_count":%d,"width":%s,"height":%s,"sections":[`, quote(v.Name), v.SeatCount(), number(v.Width), number(v.Height))
	id := 0
	for i, s := range v.Sections {
		fmt.Fprintf(&b, "%s{\"name\":%s,\"rows\":[", comma(i), quote(s.Name))
		for j, r := range s.Rows {
			fmt.Fprintf(&b, "%s{\"name\":%s,", comma(j), quote(r.Name))
			if r.Quality != 0 {
				fmt.Fprintf(&b, "\"quality\":%d,", r.Quality)
			}
			b.WriteString("\"seats\":[")
			for k, seat := range r.Seats {
				id++
				fmt.Fprintf(&b, "%s[%d,%s,%s,%s,%s", comma(k), id, quote(seat.Number), number(seat.X), number(seat.Y), quote(seat.Class))
				if seat.Kind != "" {
					fmt.Fprintf(&b, ",%s", quote(seat.Kind))
				}
				b.WriteByte(']')
			}
			b.WriteString("]}")
		}
		b.WriteString("]}")
	}
	b.WriteString(`],"areas":[`)
	for i, a := range v.Areas {
		fmt.Fprintf(&b, `%s{"name":%s,"x":%s,"y":%s,"w":%s,"h":%s,"capacity":%d}`, comma(i), quote(a.Name), number(a.X), number(a.Y), number(a.W), number(a.H), a.Capacity)
	}
	b.WriteString("]}")
	sum := sha256.Sum256(b.Bytes())
	return b.Bytes(), hex.EncodeToString(sum[:])
}

// areasOf reads the areas' capacities back out of a stored document.
func areasOf(geometry []byte) (map[string]int, error) {
	var doc struct {
		Areas []struct {
			Name     string
			Capacity int
		}
	}
	if err := json.Unmarshal(geometry, &doc); err != nil {
		return nil, fmt.Errorf("read stored geometry: %w", err)
	}
	areas := map[string]int{}
	for _, a := range doc.Areas {
		areas[a.Name] = a.Capacity
	}
	return areas, nil
}

// CheckArea says what is wrong with a limit of a counter by the plan of its event's venue;
// "" is nothing. An import asks the same rule with the plan at hand.
func CheckArea(ctx context.Context, q pg.Querier, event, counter int64, capacity, overbook int) (says string, err error) {
	var name string
	var doc []byte
	err = q.QueryRow(ctx, sqlAreaOfCounter, event, counter).Scan(&name, &doc)
	switch {
	case errors.Is(err, pgx.ErrNoRows): // a class, or an event without a venue
		return "", nil
	case err != nil:
		return "", fmt.Errorf("read the area of a counter: %w", err)
	}
	areas, err := areasOf(doc)
	if err != nil {
		return "", err
	}
	return eventfile.PastArea(name, capacity, overbook, areas[name]), nil
}

func quote(s string) string {
	q, _ := json.Marshal(s) // a string always marshals
	return string(q)
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func comma(i int) string {
	if i > 0 {
		return ","
	}
	return ""
}
