package web

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestMoneyIsWrittenAsOnTheClient(t *testing.T) {
	for _, c := range []struct {
		m    Money
		want string
	}{
		{Money{18900, "EUR"}, "€189"}, {Money{1490, "EUR"}, "€14.90"}, {Money{5, "EUR"}, "€0.05"}, {Money{0, "EUR"}, "€0"},
		{Money{12000, "JPY"}, "¥12,000"}, {Money{1500, "KWD"}, "KWD\u00a01.500"}, {Money{-250, "USD"}, "-$2.50"},
		{Money{49900, "PLN"}, "zł\u00a0499"}, {Money{49900, "CHF"}, "CHF\u00a0499"},
		{Money{123456789, "USD"}, "$1,234,567.89"},
	} {
		if got := c.m.String(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.m, got, c.want)
		}
	}
}

func TestAnEventSaysWhetherItCanBeBought(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	later := now.Add(time.Hour)
	for _, c := range []struct {
		name string
		e    Event
		want sale
	}{
		{"open", Event{State: "on_sale", StartsAt: later}, sale{"open", "On sale"}},
		{"soon", Event{State: "on_sale", StartsAt: now.AddDate(0, 1, 0), OnSaleAt: &later, TimeZone: "Europe/Berlin"}, sale{"soon", "On sale Mon 30 Nov, 14:00"}},
		{"at the instant", Event{State: "on_sale", StartsAt: later, OnSaleAt: &now}, sale{"open", "On sale"}},
		{"closed", Event{State: "closed", StartsAt: later}, sale{"closed", "Not on sale"}},
		{"cancelled", Event{State: "cancelled", StartsAt: now.Add(-time.Hour)}, sale{"cancelled", "Cancelled"}},
		{"over", Event{State: "on_sale", StartsAt: now.Add(-time.Hour)}, sale{"over", "Already started"}},
	} {
		if got := saleOf(c.e, now); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestTimesAreShownInTheEventsOwnZone(t *testing.T) {
	e := Event{StartsAt: time.Date(2027, 5, 14, 1, 40, 0, 0, time.UTC), TimeZone: "Asia/Tokyo"}
	if got := e.local().Format("15:04"); got != "10:40" {
		t.Errorf("%s, want 10:40", got)
	}
	e.TimeZone = "Not/AZone"
	if got := e.local().Format("15:04 MST"); got != "01:40 UTC" {
		t.Errorf("%s, want 01:40 UTC", got)
	}
}

func TestSearchIsReadWithinItsLimits(t *testing.T) {
	s := readSearch(url.Values{"q": {"  light  "}, "place": {strings.Repeat("ä", 300)}, "date": {"tomorrow"}, "to": {"Prague"}})
	if s.Q != "light" || len([]rune(s.Place)) != maxSearch || s.Date != "" || !s.Trip() || !s.Active() {
		t.Errorf("%+v", s)
	}
	if (search{}).Active() || (search{}).query() != "" {
		t.Error("an empty search is one")
	}
	if got := (search{Q: "a&b", Date: "2027-01-02"}).query(); got != "?date=2027-01-02&q=a%26b" {
		t.Errorf("query %q", got)
	}
}

func TestAPosterIsAlwaysTheSame(t *testing.T) {
	for _, kind := range []string{"seated", "area", "trip"} {
		a, b := posterOf(Event{ID: "x", Kind: kind}), posterOf(Event{ID: "x", Kind: kind})
		if len(a.Lines) < 8 || strings.Join(a.Lines, "") != strings.Join(b.Lines, "") || a.Hue >= posterHues {
			t.Errorf("%s: %d lines, hue %d", kind, len(a.Lines), a.Hue)
		}
		if strings.Join(a.Lines, "") == strings.Join(posterOf(Event{ID: "y", Kind: kind}).Lines, "") {
			t.Errorf("%s: two events have the same picture", kind)
		}
	}
}
