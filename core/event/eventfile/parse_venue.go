package eventfile

import (
	"fmt"
	"regexp"
)

var countryForm = regexp.MustCompile(`^[A-Z]{2}$`)

func (b *binder) venue(n *node) *Venue {
	v := &Venue{Line: n.line}
	f := b.object(n, "venue")
	if f == nil {
		return v
	}
	v.Slug, v.Name = f.slug("slug", true), f.text("name", true, maxName)
	v.City, v.Country = f.text("city", true, maxName), f.text("country", true, maxName)
	if v.Country != "" && !countryForm.MatchString(v.Country) {
		f.addf("country", "is %q, want two capital letters, as in \"DE\"", v.Country)
	}
	v.Width, v.Height = f.coordinate("width", 1e6), f.coordinate("height", 1e6)
	if v.Width == 0 || v.Height == 0 {
		f.addf("width", "width and height are the size of the plan; write both, above 0")
	}
	sections := map[string]int{}
	for i, sn := range f.list("sections", maxSections) {
		s := b.section(sn, fmt.Sprintf("venue.sections[%d]", i), v)
		b.unique(sections, s.Name, sn.line, fmt.Sprintf("venue.sections[%d].name", i))
		v.Sections = append(v.Sections, s)
	}
	areas := map[string]int{}
	for i, an := range f.list("areas", maxAreas) {
		path := fmt.Sprintf("venue.areas[%d]", i)
		a := b.area(an, path, v)
		b.unique(areas, a.Name, an.line, path+".name")
		v.Areas = append(v.Areas, a)
	}
	f.done()
	if n := v.SeatCount(); n > maxSeats {
		b.addf(v.Line, "venue.sections", "hold %d seats, at most %d", n, maxSeats)
	}
	return v
}

// unique notes a name and refuses it the second time.
func (b *binder) unique(seen map[string]int, name string, line int, path string) {
	if first, twice := seen[name]; twice && name != "" {
		b.addf(line, path, "is %q, as on line %d; names are unique here", name, first)
		return
	}
	seen[name] = line
}

func (b *binder) section(n *node, path string, v *Venue) Section {
	var s Section
	f := b.object(n, path)
	if f == nil {
		return s
	}
	s.Name = f.text("name", true, maxName)
	class := f.text("class", false, maxName)
	quality := f.integer("quality", 0, -maxQuality, maxQuality)
	rows := map[string]int{}
	for i, rn := range f.list("rows", maxRows) {
		rowPath := fmt.Sprintf("%s.rows[%d]", path, i)
		r := b.row(rn, rowPath, class, s.Name, quality, v)
		b.unique(rows, r.Name, rn.line, rowPath+".name")
		s.Rows = append(s.Rows, r)
	}
	f.done()
	return s
}

func (b *binder) row(n *node, path, class, section string, quality int64, v *Venue) Row {
	var r Row
	f := b.object(n, path)
	if f == nil {
		return r
	}
	r.Name = f.text("name", true, maxName)
	if own := f.text("class", false, maxName); own != "" {
		class = own
	}
	r.Quality = int(f.integer("quality", quality, -maxQuality, maxQuality))
	numbers := map[string]int{}
	for i, sn := range f.list("seats", maxSeats) {
		seatPath := fmt.Sprintf("%s.seats[%d]", path, i)
		seat, ok := b.seat(sn, seatPath, class, v)
		if !ok {
			continue
		}
		if first, twice := numbers[seat.Number]; twice {
			b.addf(sn.line, seatPath, "seat %q of section %q row %q is there twice (first on line %d)", seat.Number, section, r.Name, first)
		}
		numbers[seat.Number] = sn.line
		r.Seats = append(r.Seats, seat)
	}
	f.done()
	return r
}

// seat reads ["number", x, y], ["number", x, y, "class"] or ["number", x, y, "class",
// "accessible"]; an empty class is the row's. A list and not an
// object: a stadium has 60,000 of them, and four repeated keys triple the file.
func (b *binder) seat(n *node, path, class string, v *Venue) (Seat, bool) {
	items, ok := n.val.([]*node)
	if !ok || len(items) < 3 || len(items) > 5 {
		b.addf(n.line, path, "want [\"number\", x, y], [\"number\", x, y, \"class\"] or [\"number\", x, y, \"class\", \"accessible\"]")
		return Seat{}, false
	}
	s := Seat{Class: class}
	s.Number, ok = items[0].val.(string)
	if !ok || s.Number == "" || len(s.Number) > 16 {
		b.addf(n.line, path, "the seat's number is a text of 1 to 16 characters, as in \"12\"")
		return s, false
	}
	var okX, okY bool
	s.X, okX = number(items[1])
	s.Y, okY = number(items[2])
	if !okX || !okY || s.X < 0 || s.Y < 0 || s.X > v.Width || s.Y > v.Height {
		b.addf(n.line, path, "x and y of seat %q must be numbers inside of the plan, 0..%g and 0..%g", s.Number, v.Width, v.Height)
		return s, false
	}
	if len(items) > 3 {
		if own, isText := items[3].val.(string); own != "" || !isText {
			s.Class = own
		}
	}
	if len(items) == 5 {
		s.Kind, _ = items[4].val.(string)
		if s.Kind != "accessible" && s.Kind != "companion" {
			b.addf(n.line, path, "the fifth value of seat %q is \"accessible\" or \"companion\"", s.Number)
		}
	}
	if s.Class == "" {
		b.addf(n.line, path, "seat %q has no price class; give its row or section a \"class\"", s.Number)
		return s, false
	}
	return s, true
}

func (b *binder) area(n *node, path string, v *Venue) Area {
	var a Area
	f := b.object(n, path)
	if f == nil {
		return a
	}
	a.Name = f.text("name", true, maxName)
	a.X, a.Y = f.coordinate("x", v.Width), f.coordinate("y", v.Height)
	a.W, a.H = f.coordinate("w", v.Width-a.X), f.coordinate("h", v.Height-a.Y)
	a.Capacity = int(f.integer("capacity", 0, 0, maxCapacity))
	f.done()
	return a
}

// coordinate reads a required number in 0..most.
func (f *fields) coordinate(key string, most float64) float64 {
	n := f.get(key)
	if n == nil {
		f.addf(key, "is missing; write a number")
		return 0
	}
	v, ok := number(n)
	if !ok || v < 0 || v > most {
		f.addf(key, "must be a number in 0..%g, inside of the plan", most)
		return 0
	}
	return v
}
