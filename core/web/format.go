package web

import (
	"html/template"
	"strings"
	"time"
	_ "time/tzdata" // events are shown in their own zone, also where the machine has no zone files
)

var funcs = template.FuncMap{
	"asset":   assetURL,
	"dayName": func(e Event) string { return e.local().Format("Mon") },
	"day":     func(e Event) string { return e.local().Format("2") },
	"month":   func(e Event) string { return e.local().Format("Jan") },
	"when":    func(e Event) string { return e.local().Format("Monday 2 January 2006, 15:04") + e.zone() },
	"brief":   brief,
	"iso":     func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"sale":    saleOf,
	"moment":  momentOf,
	"poster":  posterOf,
}

// brief names the year unless it is this one.
func brief(e Event, now time.Time) string {
	at := e.local()
	layout := "Mon 2 Jan 2006, 15:04"
	if at.Year() == inZone(now, e.TimeZone).Year() {
		layout = "Mon 2 Jan, 15:04"
	}
	return at.Format(layout) + e.zone()
}

// zone names the zone of a trip's departure, whose buyer may be elsewhere; an
// evening in Cologne is in Cologne's time. It says "Lisbon time", as occasion.js.
func (e Event) zone() string {
	_, city, ok := strings.Cut(e.TimeZone, "/")
	if e.Route == nil || !ok {
		return ""
	}
	return " " + strings.ReplaceAll(city[strings.LastIndex(city, "/")+1:], "_", " ") + " time"
}

// local is the start in the event's own zone; in UTC if the zone is unknown.
func (e Event) local() time.Time { return inZone(e.StartsAt, e.TimeZone) }

func inZone(t time.Time, zone string) time.Time {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		return t.UTC()
	}
	return t.In(loc)
}

// sale says in a few words whether an event can be bought now.
type sale struct {
	Kind string // open | soon | closed | cancelled | over
	Text string
}

// momentOf is a time on the wall of an event's own zone.
func momentOf(e Event, at *time.Time) string {
	return inZone(*at, e.TimeZone).Format("Mon 2 Jan, 15:04")
}

func saleOf(e Event, now time.Time) sale {
	switch {
	case e.State == "cancelled":
		return sale{"cancelled", "Cancelled"}
	case !e.StartsAt.IsZero() && now.After(e.StartsAt):
		return sale{"over", "Already started"}
	case e.State != "on_sale":
		return sale{"closed", "Not on sale"}
	case e.OnSaleAt != nil && now.Before(*e.OnSaleAt):
		return sale{"soon", "On sale " + inZone(*e.OnSaleAt, e.TimeZone).Format("Mon 2 Jan, 15:04")}
	}
	return sale{"open", "On sale"}
}
