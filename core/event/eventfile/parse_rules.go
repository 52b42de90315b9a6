package eventfile

import (
	"fmt"
	"time"
)

// presales reads the windows before the sale to everybody.
func (b *binder) presales(f *fields, e *Event, zone *time.Location) {
	seen := map[string]int{}
	for i, n := range f.list("presales", maxPresales) {
		path := fmt.Sprintf("%s.presales[%d]", e.Path, i)
		p := b.object(n, path)
		if p == nil {
			continue
		}
		one := Presale{Line: n.line, Name: p.text("name", true, maxName), EndsAt: p.instant("ends_at", zone, false)}
		if t := p.instant("starts_at", zone, true); t != nil {
			one.StartsAt = *t
		}
		p.done()
		b.unique(seen, one.Name, n.line, path+".name")
		switch {
		case one.EndsAt != nil && !one.StartsAt.Before(*one.EndsAt):
			p.addf("ends_at", "is not after starts_at; the presale would never be open")
		case e.OnSaleAt == nil:
			p.addf("starts_at", "comes before nothing: the event is on sale at once; add an \"on_sale_at\" after it, as in \"2027-01-10T10:00\"")
		case !one.StartsAt.Before(*e.OnSaleAt):
			p.addf("starts_at", "is not before on_sale_at; then everybody may buy")
		}
		e.Presales = append(e.Presales, one)
	}
}

// blocked reads the seats that are not for sale. A file that does not name the field
// leaves them alone, as it leaves the event's state.
func (b *binder) blocked(f *fields, e *Event) {
	e.BlockedSaid = f.get("blocked") != nil
	for i, n := range f.list("blocked", maxBlocked) {
		path := fmt.Sprintf("%s.blocked[%d]", e.Path, i)
		o := b.object(n, path)
		if o == nil {
			continue
		}
		one := Blocked{Line: n.line, Section: o.text("section", true, maxName), Row: o.text("row", true, maxName)}
		for j, s := range o.list("seats", maxSeats) {
			number, _ := s.val.(string)
			if number == "" {
				b.addf(s.line, fmt.Sprintf("%s.seats[%d]", path, j), "is %s, want the number of a seat in quotes", kindOf(s.val))
			}
			one.Seats = append(one.Seats, number)
		}
		o.done()
		e.Blocked = append(e.Blocked, one)
	}
	if len(e.Blocked) > 0 && e.Venue == "" {
		f.addf("blocked", "names seats, but the event has no venue")
	}
}
