package main

import (
	"bytes"
	"fmt"
	"math"
)

// The stadium: a football pitch of 105 x 68 m, standing upright, with the stage at
// its north end. Rows follow a rounded rectangle around the pitch, ever wider;
// aisles are radial. The north end and the corners beside it are behind the stage
// and closed. On the pitch stand blocks of chairs.
const (
	stadiumSeats  = 60_000
	stadiumWidth  = 23_000
	stadiumHeight = 19_900
	centreX       = stadiumWidth / 2
	centreY       = 6_900

	halfWidth  = 3_900.0 // of the innermost contour, at distance 0
	halfHeight = 5_600.0
	corner     = 1_600.0 // its radius; at distance d it is corner+d

	seatPitch = 50.0
	rowPitch  = 80.0
	aisle     = 120.0
)

// tier is a ring of rows. Sections are numbered from the east side of the stage
// clockwise, 101.., 201.., 301.. by tier.
type tier struct {
	hundred, first, rows int // first: distance of the first row, cm
}

var tiers = []tier{
	{100, 300, 32},
	{200, 3_060, 13},
	{300, 4_440, 32},
}

// wedge is the piece of contour between two aisles: a straight piece (the row
// keeps its length) or a piece of a corner (it grows with the distance).
type wedge struct {
	straight         bool
	fromX, fromY     float64 // straight: start and end at distance 0
	toX, toY         float64
	normalX, normalY float64
	midX, midY       float64 // corner: its centre, and the angles in radians
	fromA, toA       float64
}

// wedges goes clockwise around the open sides: east, south-east corner, south,
// south-west corner, west. y grows to the south.
func wedges() []wedge {
	const east, south = 6, 4
	const cornerParts = 4
	w, h := halfWidth-corner, halfHeight-corner
	var ws []wedge
	side := func(n int, x0, y0, x1, y1, nx, ny float64) {
		for i := range n {
			a, b := float64(i)/float64(n), float64(i+1)/float64(n)
			ws = append(ws, wedge{straight: true, normalX: nx, normalY: ny,
				fromX: x0 + (x1-x0)*a, fromY: y0 + (y1-y0)*a, toX: x0 + (x1-x0)*b, toY: y0 + (y1-y0)*b})
		}
	}
	bend := func(mx, my, from float64) {
		for i := range cornerParts {
			step := math.Pi / 2 / cornerParts
			ws = append(ws, wedge{midX: mx, midY: my, fromA: from + step*float64(i), toA: from + step*float64(i+1)})
		}
	}
	side(east, halfWidth, -h, halfWidth, h, 1, 0)
	bend(w, h, 0)
	side(south, w, halfHeight, -w, halfHeight, 0, 1)
	bend(-w, h, math.Pi/2)
	side(east, -halfWidth, h, -halfWidth, -h, -1, 0)
	return ws
}

// row places the seats of one row at distance d, centred between its aisles.
func (w wedge) row(d float64) []seat {
	length := math.Hypot(w.toX-w.fromX, w.toY-w.fromY)
	radius := corner + d
	if !w.straight {
		length = radius * (w.toA - w.fromA)
	}
	n := int((length - aisle) / seatPitch)
	seats := make([]seat, n)
	for i := range seats {
		along := length/2 + (float64(i)-float64(n-1)/2)*seatPitch
		if w.straight {
			t := along / length
			seats[i] = seat{centreX + w.fromX + (w.toX-w.fromX)*t + w.normalX*d, centreY + w.fromY + (w.toY-w.fromY)*t + w.normalY*d}
			continue
		}
		a := w.fromA + along/radius
		seats[i] = seat{centreX + w.midX + radius*math.Cos(a), centreY + w.midY + radius*math.Sin(a)}
	}
	return seats
}

// floor is the chairs on the pitch: four blocks wide, five deep, an aisle between.
func floor() []section {
	const across, deep, perRow, rows = 4, 5, 26, 17
	const chair, line, gap = 52.0, 90.0, 180.0
	blockW, blockH := perRow*chair, rows*line
	left := centreX - (across*blockW+(across-1)*gap)/2
	top := centreY - 3_300.0
	var sections []section
	for j := range deep {
		for i := range across {
			s := section{name: fmt.Sprintf("Floor %c%d", 'A'+j, i+1), class: floorClass(j)}
			for r := range rows {
				seats := make([]seat, perRow)
				for k := range seats {
					seats[k] = seat{left + float64(i)*(blockW+gap) + (float64(k)+0.5)*chair, top + float64(j)*(blockH+gap) + (float64(r)+0.5)*line}
				}
				s.rows = append(s.rows, row{fmt.Sprint(r + 1), seats})
			}
			sections = append(sections, s)
		}
	}
	return sections
}

func floorClass(deep int) string {
	if deep < 2 {
		return "A"
	}
	return "B"
}

// bowlClass prices a section by tier and by how far it is from the stage: of a
// tier, the sections beside the front half cost more than those at the far end.
func bowlClass(tier int, middle seat) string {
	near := middle.y < centreY+1_500
	switch {
	case tier == 0 && near:
		return "B"
	case tier == 0, tier == 1 && near:
		return "C"
	case tier == 1, near:
		return "D"
	}
	return "E"
}

func stadium() []section {
	sections := floor()
	ws := wedges()
	for t, tr := range tiers {
		for i, w := range ws {
			s := section{name: fmt.Sprint(tr.hundred + i + 1)}
			for r := range tr.rows {
				s.rows = append(s.rows, row{fmt.Sprint(r + 1), w.row(float64(tr.first) + float64(r)*rowPitch)})
			}
			middle := s.rows[len(s.rows)/2].seats
			s.class = bowlClass(t, middle[len(middle)/2])
			sections = append(sections, s)
		}
	}
	var corners []*section // of the highest tier, where the last row is against the wall
	for i, w := range ws {
		if !w.straight {
			corners = append(corners, &sections[len(sections)-len(ws)+i])
		}
	}
	trim(corners, seatsOf(sections)-stadiumSeats)
	return sections
}

func stadiumFile() []byte {
	var b bytes.Buffer
	b.WriteString("{\n")
	writeVenue(&b, `"slug": "river-stadium", "name": "River Stadium", "city": "Cologne", "country": "DE"`,
		stadiumWidth, stadiumHeight, stadium(), []label{
			{"Stage", centreX - 2_400, centreY - 6_200, 4_800, 2_400},
			{"Floor", centreX - 3_500, centreY - 3_600, 7_000, 9_000},
		})
	b.WriteString(`  "events": [{
    "slug": "night-of-lights", "venue": "river-stadium", "organiser": "River Live",
    "title": "Night of Lights", "place": "Cologne",
    "description": "One night, one stage, sixty thousand lights. Doors open at 17:00.",
    "starts_at": "2027-06-12T20:00", "time_zone": "Europe/Berlin", "currency": "EUR",
    "prices": [
      {"class": "A", "name": "Front of stage", "amount": 18900},
      {"class": "B", "name": "Floor and lower stand", "amount": 14900},
      {"class": "C", "name": "Middle stand", "amount": 10900},
      {"class": "D", "name": "Upper stand, near", "amount": 7900},
      {"class": "E", "name": "Upper stand, far", "amount": 4900}
    ]
  }]
}
`)
	return b.Bytes()
}
