package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

const (
	// readTimeout bounds one question to the API; a page is better late by its
	// own script than stuck on the server.
	readTimeout = 5 * time.Second
	// readLimit bounds one answer: about 2,000 events of the list.
	readLimit = 2 << 20
)

// Money is an amount in minor units of a currency.
type Money struct {
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
}

// Event is what the API says of an event in the list (GET /v1/events).
type Event struct {
	ID         string     `json:"id"`
	Title      string     `json:"title"`
	Kind       string     `json:"kind"` // seated | area | trip
	Place      string     `json:"place"`
	Route      *Route     `json:"route"`
	StartsAt   time.Time  `json:"starts_at"`
	TimeZone   string     `json:"time_zone"` // IANA name
	State      string     `json:"state"`     // on_sale | closed | cancelled
	Currency   string     `json:"currency"`
	PriceFrom  *Money     `json:"price_from"`
	OnSaleAt   *time.Time `json:"on_sale_at"`
	SeatsTotal int        `json:"seats_total"`
}

// Route is where a trip goes.
type Route struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// EventDetail is what the API says of one event (GET /v1/events/{event}).
type EventDetail struct {
	Event
	Description string    `json:"description"`
	Organiser   string    `json:"organiser"`
	Venue       *Venue    `json:"venue"`
	Levels      []Level   `json:"levels"`
	Counters    []Counter `json:"counters"`
	Geometry    string    `json:"geometry"` // "": there is no seat map

	PresaleAt *time.Time `json:"presale_at"` // nil: there is none
}

// Level is a price.
type Level struct {
	Class  string `json:"class"`
	Name   string `json:"name"`
	Amount int64  `json:"amount"` // minor units of the event's currency
}

// Counter is an area or a fare class, bought by quantity.
type Counter struct {
	Kind  string   `json:"kind"` // area | class
	Name  string   `json:"name"`
	Class string   `json:"class"`
	Types []string `json:"types"` // further classes its places are sold as
}

// Venue is where it happens.
type Venue struct {
	Name string `json:"name"`
	City string `json:"city"`
}

// errNoEvent: the API does not know the event.
var errNoEvent = errors.New("no such event")

// errSearchPaused: very many people are buying, and searches have to wait.
var errSearchPaused = errors.New("searching is paused")

// reader asks the API in process.
type reader struct{ api http.Handler }

// get asks the API for path and returns the body of a 200.
//
// The request has a context of its own: a router leaves its routing state in
// the context of the request it is serving, and chi takes a request that has
// one for a sub-route. Only the end of the visitor's request is passed on.
func (a reader) get(parent context.Context, path string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
	defer cancel()
	defer context.AfterFunc(parent, cancel)()

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, fmt.Errorf("ask the API for %s: %w", path, err)
	}
	req.RequestURI = path
	req.RemoteAddr = "127.0.0.1:0"
	req.Header.Set("Accept", "application/json")

	var answer memory
	a.api.ServeHTTP(&answer, req)
	switch {
	case answer.over:
		return nil, fmt.Errorf("ask the API for %s: answer is over %d bytes", path, readLimit)
	case answer.code() == http.StatusNotFound:
		return nil, errNoEvent
	case answer.code() == http.StatusServiceUnavailable && bytes.Contains(answer.body.Bytes(), []byte(`"search_paused"`)):
		return nil, errSearchPaused
	case answer.code() != http.StatusOK:
		return nil, fmt.Errorf("ask the API for %s: status %d", path, answer.code())
	}
	return answer.body.Bytes(), nil
}

func (a reader) decode(ctx context.Context, path string, into any) ([]byte, error) {
	body, err := a.get(ctx, path)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return nil, fmt.Errorf("read the API's answer to %s: %w", path, err)
	}
	return body, nil
}

// memory is a ResponseWriter that keeps the answer.
type memory struct {
	header http.Header
	status int
	body   bytes.Buffer
	over   bool
}

func (m *memory) Header() http.Header {
	if m.header == nil {
		m.header = http.Header{}
	}
	return m.header
}

func (m *memory) WriteHeader(status int) {
	if m.status == 0 {
		m.status = status
	}
}

func (m *memory) Write(p []byte) (int, error) {
	m.WriteHeader(http.StatusOK)
	if m.body.Len()+len(p) > readLimit {
		m.over = true
		return 0, errors.New("the answer is too long")
	}
	return m.body.Write(p)
}

func (m *memory) code() int {
	if m.status == 0 {
		return http.StatusOK
	}
	return m.status
}
