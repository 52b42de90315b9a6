package web

import (
	"embed"
	"html/template"
	"strings"
	"time"

	"github.com/ropeline/ropeline/core/locale"
)

//go:embed texts/*.json
var textFiles embed.FS

// speeches holds every sentence of the storefront, of its templates and of its
// scripts, in every language. No other file says anything to a visitor.
var speeches = locale.MustLoad(textFiles, "texts")

// funcsIn are what templates may call, in one language.
func funcsIn(s *locale.Speech) template.FuncMap {
	return template.FuncMap{
		"t":       s.Say,
		"count":   s.Count,
		"strong":  func(key, hole, value string) template.HTML { return strong(s, key, hole, value) },
		"asset":   assetURL,
		"script":  func(name string) string { return scriptURL(s.Lang, name) },
		"price":   func(m Money) string { return s.Money(m.Amount, m.Currency) },
		"dayName": func(e Event) string { return s.Weekday(e.local()) },
		"day":     func(e Event) string { return s.Day(e.local()) },
		"month":   func(e Event) string { return s.Month(e.local()) },
		"when":    func(e Event) string { return zoned(s, e, s.When(s.Full, e.local())) },
		"brief":   func(e Event, now time.Time) string { return zoned(s, e, s.When(thisYear(s, e, now), e.local())) },
		"moment":  func(e Event, at *time.Time) string { return momentOf(s, e, *at) },
		"iso":     func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"sale":    func(e Event, now time.Time) sale { return saleOf(s, e, now) },
		"poster":  posterOf,
	}
}

// strong is a text whose hole is filled in bold. The value keeps its own
// direction, as Say's do.
func strong(s *locale.Speech, key, hole, value string) template.HTML {
	before, after, _ := strings.Cut(s.Texts[key]["other"], "{"+hole+"}")
	return template.HTML(template.HTMLEscapeString(before) + `<b dir="auto">` + template.HTMLEscapeString(value) + `</b>` + template.HTMLEscapeString(after))
}

// thisYear names the year of an event unless it is this one.
func thisYear(s *locale.Speech, e Event, now time.Time) string {
	if e.local().Year() == locale.In(now, e.TimeZone).Year() {
		return s.Short
	}
	return s.Year
}

// zoned names the zone of a trip's departure, whose buyer may be elsewhere; an
// evening in Cologne is in Cologne's time. It says "Lisbon time", as occasion.js.
func zoned(s *locale.Speech, e Event, when string) string {
	_, city, ok := strings.Cut(e.TimeZone, "/")
	if e.Route == nil || !ok {
		return when
	}
	return s.Say("zoneTime", "when", when, "city", strings.ReplaceAll(city[strings.LastIndex(city, "/")+1:], "_", " "))
}

// local is the start in the event's own zone.
func (e Event) local() time.Time { return locale.In(e.StartsAt, e.TimeZone) }

// momentOf is a time on the wall of an event's own zone.
func momentOf(s *locale.Speech, e Event, at time.Time) string {
	return s.When(s.Short, locale.In(at, e.TimeZone))
}

// sale says in a few words whether an event can be bought now.
type sale struct {
	Kind string // open | soon | closed | cancelled | over
	Text string
}

func saleOf(s *locale.Speech, e Event, now time.Time) sale {
	switch {
	case e.State == "cancelled":
		return sale{"cancelled", s.Say("saleCancelled")}
	case !e.StartsAt.IsZero() && now.After(e.StartsAt):
		return sale{"over", s.Say("saleOver")}
	case e.State != "on_sale":
		return sale{"closed", s.Say("saleClosed")}
	case e.OnSaleAt != nil && now.Before(*e.OnSaleAt):
		return sale{"soon", s.Say("saleSoon", "when", momentOf(s, e, *e.OnSaleAt))}
	}
	return sale{"open", s.Say("saleOpen")}
}
