package main

import (
	"bytes"
	"fmt"
	"math"
)

// The club: 20 rows of 25 seats in gentle arcs around a small stage. Its event is
// the one the rehearsal sells out, so its holds are short, are never extended, and
// money that comes late goes back: every seat of a buyer who walks away is free
// again after four seconds.
const (
	clubSeats  = 500
	clubWidth  = 2_000
	clubHeight = 2_400
)

func club() []section {
	const rows, perRow = 20, 25
	sections := []section{{name: "Stalls", class: "A"}, {name: "Balcony", class: "B"}}
	for r := range rows {
		radius := 1_800 + 90*float64(r)
		seats := make([]seat, perRow)
		for k := range seats {
			a := math.Pi/2 - (float64(k)-float64(perRow-1)/2)*55/radius
			seats[k] = seat{clubWidth/2 - radius*math.Cos(a), radius*math.Sin(a) - 1_350}
		}
		s := &sections[0]
		if r >= 12 {
			s = &sections[1]
			for k := range seats {
				seats[k].y += 150 // the balcony stands back
			}
		}
		s.rows = append(s.rows, row{fmt.Sprint(len(s.rows) + 1), seats})
	}
	return sections
}

func clubFile() []byte {
	var b bytes.Buffer
	b.WriteString("{\n")
	writeVenue(&b, `"slug": "blue-lamp-cellar", "name": "Blue Lamp Cellar", "city": "Leipzig", "country": "DE"`,
		clubWidth, clubHeight, club(), []label{{"Stage", 600, 40, 800, 240}})
	b.WriteString(`  "events": [{
    "slug": "late-show", "venue": "blue-lamp-cellar", "organiser": "Blue Lamp",
    "title": "The Late Show", "place": "Leipzig",
    "description": "Five hundred seats and a very short checkout.",
    "starts_at": "2027-03-05T22:30", "time_zone": "Europe/Berlin", "currency": "EUR",
    "hold_ttl": "4s", "extend": "never", "late_policy": "refund",
    "prices": [
      {"class": "A", "name": "Stalls", "amount": 3900},
      {"class": "B", "name": "Balcony", "amount": 2900}
    ]
  }]
}
`)
	return b.Bytes()
}
