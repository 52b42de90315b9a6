package web

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// maxSearch bounds one field of the search form; longer input is cut, since a
// search is a question and not a command.
const maxSearch = 100

// search is the search form as the visitor filled it.
type search struct{ Q, Place, From, To, Date string }

func readSearch(q url.Values) search {
	field := func(name string) string {
		v := []rune(strings.TrimSpace(q.Get(name)))
		if len(v) > maxSearch {
			v = v[:maxSearch]
		}
		return string(v)
	}
	s := search{Q: field("q"), Place: field("place"), From: field("from"), To: field("to"), Date: field("date")}
	if _, err := time.Parse(time.DateOnly, s.Date); err != nil {
		s.Date = "" // a browser's date field sends nothing else
	}
	return s
}

// Active: the visitor asked for something.
func (s search) Active() bool { return s != search{} }

// Trip: the visitor asked for a route.
func (s search) Trip() bool { return s.From != "" || s.To != "" }

func (s search) query() string {
	v := url.Values{}
	for name, value := range map[string]string{"q": s.Q, "place": s.Place, "from": s.From, "to": s.To, "date": s.Date} {
		if value != "" {
			v.Set(name, value)
		}
	}
	if len(v) == 0 {
		return ""
	}
	return "?" + v.Encode()
}

type eventsData struct {
	Search search
	Events []Event
	Now    time.Time
}

func (s *site) events(r *http.Request) (view, error) {
	ask := readSearch(r.URL.Query())
	var answer struct {
		Events []Event `json:"events"`
	}
	if _, err := s.api.decode(r.Context(), "/v1/events"+ask.query(), &answer); err != nil {
		return view{}, err
	}
	title := "events"
	if ask.Active() {
		title = "search"
	}
	return view{Title: title, Nav: "events", Style: "events",
		Data: eventsData{Search: ask, Events: answer.Events, Now: time.Now()}}, nil
}

type eventData struct {
	EventDetail
	Now time.Time
}

// PresaleBegun: who has a code may buy now.
func (e eventData) PresaleBegun() bool { return e.PresaleAt != nil && !e.Now.Before(*e.PresaleAt) }

// named is a name with its price, and the price's own name where it says more.
type named struct {
	Name, Fare string
	Price      Money
}

// Prices are what the map's legend will say, in its order. They are in the page
// from the start, so that nothing moves when the script puts switches there.
func (e eventData) Prices() []named {
	levels := slices.Clone(e.Levels)
	slices.SortStableFunc(levels, func(a, b Level) int { return cmp.Compare(b.Amount, a.Amount) })
	var out []named
	for _, l := range levels {
		out = append(out, named{Name: l.Name, Price: Money{l.Amount, e.Currency}})
	}
	return out
}

// Places are what is bought by quantity, as lines.js chooses it.
func (e eventData) Places() []named {
	var out []named
	for _, c := range e.Counters {
		if c.Kind != "area" && e.Geometry != "" {
			continue
		}
		n := named{Name: c.Name, Price: Money{Currency: e.Currency}}
		var types []named
		for _, class := range append([]string{c.Class}, c.Types...) {
			at := slices.IndexFunc(e.Levels, func(l Level) bool { return l.Class == class })
			switch {
			case at < 0:
			case class != c.Class:
				types = append(types, named{Name: c.Name + ", " + e.Levels[at].Name, Price: Money{e.Levels[at].Amount, e.Currency}})
			default:
				n.Price.Amount = e.Levels[at].Amount
				if l := e.Levels[at]; l.Name != c.Name {
					n.Fare = strings.TrimPrefix(l.Name, c.Name+", ") // as occasion.js
				}
			}
		}
		out = append(append(out, n), types...)
	}
	return out
}

func (s *site) event(r *http.Request) (view, error) {
	var e EventDetail
	body, err := s.api.decode(r.Context(), "/v1/events/"+url.PathEscape(r.PathValue("event")), &e)
	if err != nil {
		return view{}, err
	}
	return view{Title: e.Title, Named: true, Nav: "events", Module: "event", Style: "event", Wide: e.Geometry != "",
		Data: eventData{e, time.Now()}, JSON: json.RawMessage(body)}, nil
}

func (s *site) checkout(r *http.Request) (view, error) {
	v, err := s.order(r)
	v.Title = "checkout"
	return v, err
}

// throughTheLine is the way to pay for somebody without a pass: an address that,
// unlike the checkout, is behind the waiting room, and leads on to the checkout
// with all that was asked for. The checkout itself stays open to everybody, so
// that an order that is running out can be seen from another device.
func throughTheLine(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	q.Set("from", "line") // if the payment is refused again, the page does not run in circles
	w.Header().Set("Cache-Control", cachePersonal)
	w.Header().Set("Location", "/checkout/"+url.PathEscape(r.PathValue("order"))+"?"+q.Encode())
	w.WriteHeader(http.StatusSeeOther)
}

// order, and the pages below, are shells: what is in them belongs to one
// person, and the browser asks for it with that person's cookie.
func (s *site) order(r *http.Request) (view, error) {
	return view{Title: "yourOrder", Nav: "orders", Module: "order", Style: "order",
		JSON: map[string]string{"order": r.PathValue("order")}}, nil
}

func (s *site) orders(*http.Request) (view, error) {
	return view{Title: "yourOrders", Nav: "orders", Module: "orders", Style: "order"}, nil
}

func (s *site) tickets(*http.Request) (view, error) {
	return view{Title: "yourTickets", Nav: "tickets", Module: "tickets", Style: "ticket"}, nil
}

func (s *site) ticket(r *http.Request) (view, error) {
	return view{Title: "ticket", Nav: "tickets", Module: "ticket", Style: "ticket",
		JSON: map[string]string{"ticket": r.PathValue("ticket")}}, nil
}

func (s *site) unknown(*http.Request) (view, error) {
	return view{Title: "notFound", Status: http.StatusNotFound, Data: problemText{"nothingHere", "nothingHereText"}}, nil
}
