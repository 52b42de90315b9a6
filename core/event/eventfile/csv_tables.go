package eventfile

import (
	"fmt"
	"regexp"
	"sort"
	"strings"
)

// Columns of a table of events: those of the event itself, of a price, of a counter.
// The member is what a JSON file calls it.
var (
	eventColumns = map[string]cellKind{
		"slug": textCell, "venue": textCell, "organiser": textCell, "title": textCell, "description": textCell, "place": textCell,
		"from": textCell, "to": textCell, "starts_at": textCell, "time_zone": textCell, "currency": textCell, "state": textCell,
		"on_sale_at": textCell, "off_sale_at": textCell, "max_per_account": numberCell, "hold_ttl": textCell, "extend": textCell,
		"extend_by": textCell, "hold_cap": textCell, "map_life": textCell, "late_policy": textCell, "fee_bp": numberCell, "orphan_rule": flagCell,
		"access_until": textCell, "hold_budget": numberCell,
	}
	priceColumns   = map[string]cellKind{"class": textCell, "price_name": textCell, "amount": numberCell}
	counterColumns = map[string]cellKind{"counter": textCell, "kind": textCell, "capacity": numberCell, "overbook": numberCell, "types": listCell}

	venueColumns = map[string]cellKind{
		"venue": textCell, "name": textCell, "city": textCell, "country": textCell, "width": numberCell, "height": numberCell,
		"section": textCell, "row": textCell, "number": textCell, "x": numberCell, "y": numberCell, "class": textCell, "kind": textCell,
	}
)

// columnsOf tells which columns a table with this header may have.
func columnsOf(header []string) (kinds map[string]cellKind, names []string) {
	kinds = map[string]cellKind{}
	sets := []map[string]cellKind{eventColumns, priceColumns, counterColumns}
	for _, name := range header {
		if strings.TrimSpace(name) == "section" {
			sets = []map[string]cellKind{venueColumns}
		}
	}
	for _, set := range sets {
		for name, kind := range set {
			kinds[name] = kind
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return kinds, names
}

func newObject() *object { return &object{members: map[string]*node{}, lines: map[string]int{}} }

func (o *object) set(key string, n *node) {
	if n == nil {
		return
	}
	if _, there := o.members[key]; !there {
		o.keys = append(o.keys, key)
	}
	o.members[key], o.lines[key] = n, n.line
}

// eventTable groups the lines of a slug into one event: its own members stand in the
// first of them and may be repeated, each line adds a price, a counter or both.
func (b *binder) eventTable(t *table) *node {
	var list []*node
	bySlug := map[any]*node{}
	for _, row := range t.rows {
		slug := row.cells["slug"]
		if slug == nil {
			b.addf(row.line, "slug", "is empty; every line names its event")
			continue
		}
		e := bySlug[slug.val]
		if e == nil {
			o := newObject()
			o.set("prices", &node{line: row.line, val: []*node(nil)})
			e = &node{line: row.line, val: o}
			bySlug[slug.val] = e
			list = append(list, e)
		}
		b.eventRow(e.val.(*object), row)
	}
	root := newObject()
	root.set("events", &node{line: 1, val: list})
	return &node{line: 1, val: root}
}

func (b *binder) eventRow(e *object, row tableRow) {
	for _, name := range sortedKeys(row.cells) {
		cell := row.cells[name]
		if eventColumns[name] == 0 {
			continue
		}
		into, member := e, name
		if name == "from" || name == "to" {
			route := e.members["route"]
			if route == nil {
				route = &node{line: row.line, val: newObject()}
				e.set("route", route)
			}
			into = route.val.(*object)
		}
		if first := into.members[member]; first != nil && first.val != cell.val {
			b.addf(cell.line, name, "is %v, but %v on line %d; an event has one", show(cell.val), show(first.val), first.line)
			continue
		}
		if into.members[member] == nil {
			into.set(member, cell)
		}
	}
	counter := newObject()
	counter.set("name", row.cells["counter"])
	for _, name := range []string{"kind", "capacity", "overbook", "types"} {
		counter.set(name, row.cells[name])
	}
	// A class alone is a price that lacks its amount; beside a counter it may be one that
	// stands on another line.
	if row.cells["amount"] != nil || row.cells["price_name"] != nil || row.cells["class"] != nil && len(counter.keys) == 0 {
		p := newObject()
		p.set("class", row.cells["class"])
		p.set("name", row.cells["price_name"])
		p.set("amount", row.cells["amount"])
		e.push("prices", &node{line: row.line, val: p})
	}
	if len(counter.keys) > 0 {
		counter.set("class", row.cells["class"])
		e.push("counters", &node{line: row.line, val: counter})
	}
}

// push adds to a list, and leaves out a price that is said again for another counter.
func (o *object) push(key string, n *node) {
	list := o.members[key]
	if list == nil {
		list = &node{line: n.line, val: []*node(nil)}
		o.set(key, list)
	}
	items := list.val.([]*node)
	for _, old := range items {
		if key == "prices" && same(old.val.(*object), n.val.(*object)) {
			return
		}
	}
	list.val = append(items, n)
}

func same(a, b *object) bool {
	if len(a.members) != len(b.members) {
		return false
	}
	for k, n := range a.members {
		if b.members[k] == nil || b.members[k].val != n.val {
			return false
		}
	}
	return true
}

// venueTable makes a venue of its seats. What belongs to the venue stands in the first
// line and may be repeated; lines of a row, and rows of a section, stand together.
func (b *binder) venueTable(t *table) *node {
	venue := newObject()
	var section, row *object
	for _, line := range t.rows {
		for column, member := range map[string]string{"venue": "slug", "name": "name", "city": "city", "country": "country", "width": "width", "height": "height"} {
			cell := line.cells[column]
			first := venue.members[member]
			if cell != nil && first != nil && first.val != cell.val {
				b.addf(cell.line, column, "is %v, but %v on line %d; a file has one venue", show(cell.val), show(first.val), first.line)
			} else if first == nil {
				venue.set(member, cell)
			}
		}
		for _, column := range []string{"section", "row", "number", "x", "y"} {
			if line.cells[column] == nil {
				b.addf(line.line, column, "is empty; every seat has one")
			}
		}
		if len(b.findings) > 0 {
			continue
		}
		if section == nil || section.members["name"].val != line.cells["section"].val {
			section, row = newObject(), nil
			section.set("name", line.cells["section"])
			venue.push("sections", &node{line: line.line, val: section})
		}
		if row == nil || row.members["name"].val != line.cells["row"].val {
			row = newObject()
			row.set("name", line.cells["row"])
			section.push("rows", &node{line: line.line, val: row})
		}
		row.push("seats", &node{line: line.line, val: seatCells(line)})
	}
	root := newObject()
	root.set("venue", &node{line: 1, val: venue})
	return &node{line: 1, val: root}
}

// seatCells is a seat as a JSON file has it: number, x, y, class, kind.
func seatCells(line tableRow) []*node {
	items := []*node{line.cells["number"], line.cells["x"], line.cells["y"]}
	class, kind := line.cells["class"], line.cells["kind"]
	if class == nil {
		class = &node{line: line.line, val: ""}
	}
	items = append(items, class)
	if kind != nil {
		items = append(items, kind)
	}
	return items
}

func show(v any) string {
	if s, ok := v.(string); ok {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprint(v)
}

func sortedKeys(m map[string]*node) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

var (
	pathIndex  = regexp.MustCompile(`\[\d+\]`)
	columnOf   = map[string]string{"prices.name": "price_name", "prices": "amount", "counters.name": "counter", "counters": "counter", "venue.slug": "venue", "sections": "section", "sections.name": "section", "rows": "row", "rows.name": "row", "seats": "number", "events": ""}
	inVenue    = regexp.MustCompile(`^venue\.(slug|sections|rows)$`)
	insideList = map[string]bool{"prices": true, "counters": true, "sections": true, "rows": true, "seats": true}
)

// Columns names the columns of a table instead of the fields of a JSON file.
func (fs Findings) Columns() Findings {
	out := make(Findings, len(fs))
	for i, f := range fs {
		c := *f
		c.Field = column(c.Field)
		out[i] = &c
	}
	return out
}

func column(path string) string {
	parts := strings.Split(pathIndex.ReplaceAllString(path, ""), ".")
	last := parts[len(parts)-1]
	if len(parts) > 1 {
		above := parts[len(parts)-2]
		if name, ok := columnOf[above+"."+last]; ok && (insideList[above] || inVenue.MatchString(above+"."+last)) {
			return name
		}
	}
	if name, ok := columnOf[last]; ok {
		return name
	}
	return last
}
