package eventfile

import (
	"fmt"
	"strings"
	"time"
)

// Defaults and bounds of the rules of a sale.
const (
	defaultMaxPerAccount = 6
	defaultHoldTTL       = 8 * time.Minute
	defaultExtendBy      = 2 * time.Minute
	defaultHoldCap       = 20 * time.Minute
	minMapLife           = time.Second // also what an event gets that says nothing
	maxMapLife           = 5 * time.Second
	defaultFeeBP         = 500
	defaultHoldBudget    = 20
	maxHold              = 24 * time.Hour
)

func (b *binder) event(n *node, path string, venue *Venue) Event {
	e := Event{Line: n.line, Path: path}
	f := b.object(n, path)
	if f == nil {
		return e
	}
	e.Slug = f.slug("slug", true)
	e.Venue = f.slug("venue", false)
	e.Organiser, e.Title = f.text("organiser", true, maxName), f.text("title", true, maxName)
	e.Description, e.Place = f.text("description", false, maxText), f.text("place", true, maxName)
	if rn := f.get("route"); rn != nil {
		if r := b.object(rn, path+".route"); r != nil {
			e.RouteFrom, e.RouteTo = r.text("from", true, maxName), r.text("to", true, maxName)
			r.done()
		}
	}
	b.eventTimes(f, &e)
	b.eventRules(f, &e)
	b.prices(f, &e)
	b.counters(f, &e)
	b.blocked(f, &e)
	f.done()

	if e.Venue == "" && len(e.Counters) == 0 {
		b.addf(n.line, path, "has nothing to sell; name a \"venue\" with seats, or \"counters\"")
	}
	if venue != nil && e.Venue == venue.Slug && e.Venue != "" {
		b.findings = append(b.findings, e.CheckAgainst(venue.Classes(), venue.AreaCapacities())...)
	}
	return e
}

// eventTimes reads the zone first: a time without offset is a time on the wall
// of that zone, which is how a poster says it.
func (b *binder) eventTimes(f *fields, e *Event) {
	zone := time.UTC
	e.TimeZone = f.text("time_zone", true, maxName)
	if e.TimeZone != "" {
		z, err := time.LoadLocation(e.TimeZone)
		if err != nil || e.TimeZone == "Local" {
			f.addf("time_zone", "%q is no time zone of the IANA list; write one like \"Europe/Berlin\"", e.TimeZone)
		} else {
			zone = z
		}
	}
	if t := f.instant("starts_at", zone, true); t != nil {
		e.StartsAt = *t
	}
	e.OnSaleAt, e.OffSaleAt = f.instant("on_sale_at", zone, false), f.instant("off_sale_at", zone, false)
	e.AccessUntil = f.instant("access_until", zone, false)
	b.presales(f, e, zone)
	b.refunds(f, e)
	if e.OnSaleAt != nil && e.OffSaleAt != nil && !e.OnSaleAt.Before(*e.OffSaleAt) {
		f.addf("off_sale_at", "is not after on_sale_at; the sale would never be open")
	}
}

const wallClock = "2006-01-02T15:04:05"

// instant reads "2027-06-12T20:00" (a wall clock in zone) or RFC 3339 with offset.
func (f *fields) instant(key string, zone *time.Location, required bool) *time.Time {
	n := f.get(key)
	if n == nil || n.val == nil {
		if required {
			f.addf(key, "is missing; write a time like \"2027-06-12T20:00\"")
		}
		return nil
	}
	s, _ := n.val.(string)
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		t = t.UTC()
		return &t
	}
	wall := s
	if len(wall) == len("2006-01-02T15:04") {
		wall += ":00"
	}
	t, err := time.ParseInLocation(wallClock, wall, zone)
	if err != nil {
		f.addf(key, "%q is no time; write \"2027-06-12T20:00\" (in the event's time zone) or RFC 3339 with an offset", s)
		return nil
	}
	if t.Format(wallClock) != wall { // a clock put forward skips an hour
		f.addf(key, "%s does not exist in %s (the clock is put forward over it)", s, zone)
		return nil
	}
	t = t.UTC()
	return &t
}

func (b *binder) eventRules(f *fields, e *Event) {
	e.Currency = f.text("currency", true, 3)
	if e.Currency != "" && !knownCurrency(e.Currency) {
		f.addf("currency", "%q is no currency we know; write an ISO 4217 code like \"EUR\"", e.Currency)
	}
	if f.get("state") != nil { // absent: an import leaves the state alone, and opens a new event
		e.State = f.oneOf("state", "on_sale", "draft", "closed", "cancelled")
	}
	e.MaxPerAccount = int(f.integer("max_per_account", defaultMaxPerAccount, 1, 100))
	e.HoldTTL = f.duration("hold_ttl", defaultHoldTTL, time.Second, maxHold)
	e.Extend = f.oneOf("extend", "near_end", "never", "at_payment_start", "while_pending")
	e.ExtendBy = f.duration("extend_by", defaultExtendBy, 0, maxHold)
	e.HoldCap = f.duration("hold_cap", max(defaultHoldCap, e.HoldTTL), time.Second, maxHold)
	if e.HoldCap < e.HoldTTL {
		f.addf("hold_cap", "is %s, shorter than hold_ttl %s", e.HoldCap, e.HoldTTL)
	}
	e.LatePolicy = f.oneOf("late_policy", "refund", "retake")
	e.FeeBP = int(f.integer("fee_bp", defaultFeeBP, 0, 10_000))
	e.OrphanRule = f.flag("orphan_rule")
	e.MapLife = f.duration("map_life", minMapLife, minMapLife, maxMapLife)
	if e.MapLife%time.Second != 0 {
		f.addf("map_life", "is %s; want whole seconds", e.MapLife)
	}
	e.HoldBudget = int(f.integer("hold_budget", defaultHoldBudget, 0, 10_000))
}

func (b *binder) prices(f *fields, e *Event) {
	seen := map[string]int{}
	for i, n := range f.list("prices", maxPrices) {
		path := fmt.Sprintf("%s.prices[%d]", e.Path, i)
		p := b.object(n, path)
		if p == nil {
			continue
		}
		price := Price{Class: p.text("class", true, maxName), Name: p.text("name", false, maxName)}
		if p.get("amount") == nil {
			p.addf("amount", "is missing; write minor units, as in 4500 for 45.00")
		}
		price.Amount = p.amount("amount", e.Currency)
		p.done()
		if price.Name == "" {
			price.Name = price.Class
		}
		b.unique(seen, price.Class, n.line, path+".class")
		e.Prices = append(e.Prices, price)
	}
	if len(e.Prices) == 0 {
		f.addf("prices", "is empty; every class that is sold has a price")
	}
}

func (b *binder) counters(f *fields, e *Event) {
	priced, seen := map[string]bool{}, map[string]int{}
	for _, p := range e.Prices {
		priced[p.Class] = true
	}
	for i, n := range f.list("counters", maxCounters) {
		path := fmt.Sprintf("%s.counters[%d]", e.Path, i)
		c := b.object(n, path)
		if c == nil {
			continue
		}
		counter := Counter{Line: n.line, Kind: c.oneOf("kind", "area", "class"), Name: c.text("name", true, maxName), Class: c.text("class", true, maxName)}
		if c.get("capacity") == nil {
			c.addf("capacity", "is missing; write how many places there are")
		}
		before := len(b.findings)
		counter.Capacity = int(c.integer("capacity", 0, 0, maxCapacity))
		refused := len(b.findings) > before || c.get("capacity") == nil
		counter.Overbook = int(c.integer("overbook", 0, 0, maxCapacity))
		if counter.Overbook > counter.Capacity && !refused {
			c.addf("overbook", "is %d, past the capacity of %d itself", counter.Overbook, counter.Capacity)
		}
		if counter.Seats = c.flag("seats"); counter.Seats && counter.Kind != "class" {
			c.addf("seats", "is for fare classes; write \"kind\": \"class\" or remove it")
		}
		counter.Types = strings.Join(b.types(c, counter.Class, priced), typeSeparator)
		c.done()
		if counter.Class != "" && !priced[counter.Class] {
			c.addf("class", "%q has no price; add it to %s.prices", counter.Class, e.Path)
		}
		b.unique(seen, counter.Name, n.line, path+".name")
		e.Counters = append(e.Counters, counter)
	}
}

// typeSeparator is a control character, which no text of a file may contain.
const typeSeparator = "\x1f"

// types reads the ticket types that share a counter's capacity.
func (b *binder) types(c *fields, own string, priced map[string]bool) []string {
	var types []string
	seen := map[string]bool{own: true}
	for i, n := range c.list("types", maxPrices) {
		class, _ := n.val.(string)
		path := fmt.Sprintf("%s.types[%d]", c.path, i)
		switch {
		case class == "":
			b.addf(n.line, path, "is %s, want the class of a price in quotes", kindOf(n.val))
		case !priced[class]:
			b.addf(n.line, path, "%q has no price; add it to the event's prices", class)
		case seen[class]:
			b.addf(n.line, path, "is %q, which these places are sold as already; remove it", class)
		default:
			types = append(types, class)
		}
		seen[class] = true
	}
	return types
}
