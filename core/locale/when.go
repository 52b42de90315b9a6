package locale

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // events are shown in their own zone, also where the machine has no zone files
)

// In is a time on the wall of an IANA zone; in UTC if the zone is unknown.
func In(t time.Time, zone string) time.Time {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		return t.UTC()
	}
	return t.In(loc)
}

// When writes t, in its own location, by one of the Format's patterns.
func (f *Format) When(pattern string, t time.Time) string {
	return strings.NewReplacer(
		"{weekday}", f.Days[t.Weekday()], "{wd}", f.DaysCut[t.Weekday()],
		"{month}", f.Months[t.Month()-1], "{mon}", f.MonthsCut[t.Month()-1],
		"{d}", f.native(strconv.Itoa(t.Day())), "{m}", f.native(strconv.Itoa(int(t.Month()))), "{y}", f.native(strconv.Itoa(t.Year())),
		"{time}", f.Clock(t),
	).Replace(pattern)
}

// Clock writes the time of day.
func (f *Format) Clock(t time.Time) string {
	return f.native(fmt.Sprintf("%02d:%02d", t.Hour(), t.Minute()))
}

// Day, Month and Weekday are the pieces of a calendar leaf.
func (f *Format) Day(t time.Time) string     { return f.native(strconv.Itoa(t.Day())) }
func (f *Format) Month(t time.Time) string   { return f.MonthsCut[t.Month()-1] }
func (f *Format) Weekday(t time.Time) string { return f.DaysCut[t.Weekday()] }
