package web

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
)

// posterHues is the number of colour schemes in events.css (.poster-0 ...).
const posterHues = 6

// Poster is the picture of an event that has none: lines in the manner of a
// rope, drawn from the event's id so that it always looks the same. Organisers'
// pictures would be files from elsewhere, which the content policy rules out.
type Poster struct {
	Hue   int
	Lines []string // path data in a box of 400 x 240
	Posts []Post   // ends of ropes
}

// Post is the knob of a stanchion.
type Post struct{ X, Y float64 }

func posterOf(e Event) Poster {
	h := fnv.New64a()
	_, _ = h.Write([]byte(e.ID)) // a hash never fails
	seed := h.Sum64()
	rnd := rand.New(rand.NewPCG(seed, seed>>7))
	p := Poster{Hue: int(seed % posterHues)}
	switch e.Kind {
	case "trip":
		p.journey(rnd)
	case "area":
		p.waves(rnd)
	default:
		p.tiers(rnd)
	}
	return p
}

// tiers: rows of an amphitheatre around a stage.
func (p *Poster) tiers(rnd *rand.Rand) {
	cx, cy := 120+rnd.Float64()*160, 250+rnd.Float64()*30
	for i := range 9 {
		r := 46 + float64(i)*27
		from := math.Pi * (1.04 + 0.05*rnd.Float64())
		to := math.Pi * (1.96 - 0.05*rnd.Float64())
		x1, y1 := cx+r*math.Cos(from), cy+r*math.Sin(from)
		x2, y2 := cx+r*math.Cos(to), cy+r*math.Sin(to)
		p.Lines = append(p.Lines, fmt.Sprintf("M%.1f %.1fA%.1f %.1f 0 0 1 %.1f %.1f", x1, y1, r, r, x2, y2))
	}
}

// waves: ropes across the picture, hanging a little differently each.
func (p *Poster) waves(rnd *rand.Rand) {
	phase := rnd.Float64() * math.Pi
	for i := range 8 {
		var b strings.Builder
		y := 40 + float64(i)*26
		for x := -10.0; x <= 410; x += 20 {
			verb := "L"
			if x < 0 {
				verb = "M"
			}
			sway := (14 - float64(i)) * math.Sin(x/58+phase+float64(i)*0.42)
			fmt.Fprintf(&b, "%s%.0f %.1f", verb, x, y+sway)
		}
		p.Lines = append(p.Lines, b.String())
	}
}

// journey: one rope from stop to stop.
func (p *Poster) journey(rnd *rand.Rand) {
	x, y := 40.0, 90+rnd.Float64()*50
	p.Posts = append(p.Posts, Post{x, y})
	for range 3 {
		nx, ny := x+95+rnd.Float64()*15, 80+rnd.Float64()*70
		for k := range 3 {
			sag := 60 + float64(k)*16
			p.Lines = append(p.Lines, fmt.Sprintf("M%.1f %.1fQ%.1f %.1f %.1f %.1f", x, y, (x+nx)/2, math.Max(y, ny)+sag, nx, ny))
		}
		x, y = nx, ny
		p.Posts = append(p.Posts, Post{x, y})
	}
}
