package api

import (
	"net/http"
	"strings"
	"testing"
)

// staffer is one of the staff: a bearer token and nothing else.
func (s *stand) staffer(email string) func(method, path string, body any, headers ...string) *reply {
	s.t.Helper()
	token := s.do("POST", "/dev/token", map[string]string{"email": email, "role": "staff"}).want(http.StatusOK, "").str("token")
	return func(method, path string, body any, headers ...string) *reply {
		s.t.Helper()
		return s.do(method, path, body, append([]string{"Authorization", "Bearer " + token}, headers...)...)
	}
}

// AB30: a token of staff buys nothing, a buyer's changes nothing.
func TestRolesAreKeptApart(t *testing.T) {
	s := open(t)
	ada, eve := s.buyer("ada@example.com"), s.staffer("eve@example.com")
	before := s.rows()
	staffToken := s.do("POST", "/dev/token", map[string]string{"email": "ada@example.com", "role": "staff"}).str("token") // the same person
	for _, rt := range routes {
		path := strings.NewReplacer("{event}", "gig", "{venue}", "hall", "{counter}", "1", "{hold}", "00000000-0000-0000-0000-000000000001", "{order}", "1-00000000-0000-0000-0000-000000000001",
			"{ticket}", "1-00000000-0000-0000-0000-000000000001", "{presale}", "1", "{request}", "1-00000000-0000-0000-0000-000000000001").Replace(rt.pattern)
		switch {
		case rt.is(needAccount):
			ada.do(rt.method, path, map[string]any{}, "Authorization", "Bearer "+staffToken).want(http.StatusForbidden, "wrong_role")
		case rt.is(needStaff):
			ada.do(rt.method, path, map[string]any{"title": "mine"}).want(http.StatusForbidden, "wrong_role")
			s.do(rt.method, path, map[string]any{"title": "mine"}).want(http.StatusUnauthorized, "unauthenticated")
			// A cookie is added by the browser, to anybody's request: here it is nobody.
			s.do(rt.method, path, map[string]any{"title": "mine"}, "Cookie", accountCookie+"="+staffToken, "Sec-Fetch-Site", "same-origin").want(http.StatusUnauthorized, "unauthenticated")
		}
	}
	if after := s.rows(); after != before {
		t.Errorf("rows %s, before %s", after, before)
	}
	s.do("POST", "/dev/token", map[string]string{"email": "eve@example.com", "role": "owner"}).want(http.StatusUnprocessableEntity, "invalid_body")
	eve("GET", "/v1/staff/changes", nil).want(http.StatusOK, "")
}

func TestStaffBringInAVenueAndAnEvent(t *testing.T) {
	s := open(t)
	eve := s.staffer("eve@example.com")
	const venue = `{"name": "Barn", "city": "Bonn", "country": "DE", "width": 10, "height": 10,
		"sections": [{"name": "Hay", "class": "A", "rows": [{"name": "1", "seats": [["1", 1, 1], ["2", 2, 1]]}]}]}`
	if r := eve("PUT", "/v1/staff/venues/barn", venue).want(http.StatusOK, ""); r.str("changes", 0, "did") != "created" || r.str("changes", 0, "places") != "2" {
		t.Errorf("%s", r.body)
	}
	const event = `{"venue": "barn", "organiser": "Org", "title": "Dance", "place": "Bonn", "starts_at": "2127-06-12T20:00",
		"time_zone": "Europe/Berlin", "currency": "EUR", "state": "draft", "on_sale_at": "2027-01-31T10:00", "prices": [{"class": "A", "amount": 900}]}`
	eve("PUT", "/v1/staff/events/dance", event).want(http.StatusOK, "")
	s.do("GET", "/v1/events/dance", nil).want(http.StatusNotFound, "not_found") // a draft
	exported := eve("GET", "/v1/staff/events/dance", nil).want(http.StatusOK, "")
	if exported.str("on_sale_at") != "2027-01-31T10:00:00+01:00" || exported.str("hold_ttl") != "8m0s" || exported.str("venue") != "barn" {
		t.Errorf("%s", exported.body)
	}
	// What was read may be sent back, and changes nothing.
	if r := eve("PUT", "/v1/staff/events/dance", string(exported.body)).want(http.StatusOK, ""); r.str("changes", 0, "did") != "unchanged" {
		t.Errorf("%s", r.body)
	}
	eve("PATCH", "/v1/staff/events/dance", `{"state": "on_sale", "on_sale_at": null, "prices": [{"class": "A", "name": "Bale", "amount": 1100}]}`,
		"Content-Type", "application/merge-patch+json").want(http.StatusOK, "")
	d := s.do("GET", "/v1/events/dance", nil).want(http.StatusOK, "")
	if d.str("levels", 0, "amount") != "1100" || d.str("on_sale_at") != "<nil>" || d.str("title") != "Dance" {
		t.Errorf("%s", d.body)
	}

	changes := eve("GET", "/v1/staff/changes?event=dance", nil).want(http.StatusOK, "")
	if n := len(changes.get("changes").([]any)); n != 4 { // event and price created, then each changed
		t.Fatalf("%d changes: %s", n, changes.body)
	}
	newest := changes.str("changes", 0, "kind") + " " + changes.str("changes", 0, "name")
	if newest != "price_level A" || changes.str("changes", 0, "actor") != "ropeline-dev|eve@example.com" ||
		changes.str("changes", 0, "before") != "map[amount:900 name:A]" || changes.str("changes", 0, "after") != "map[amount:1100 name:Bale]" {
		t.Errorf("the newest change: %s", changes.body)
	}
	older := eve("GET", "/v1/staff/changes?event=dance&before="+changes.str("changes", 2, "id"), nil)
	if n := len(older.get("changes").([]any)); n != 1 {
		t.Errorf("older than the third: %s", older.body)
	}
}

// B57 at the API: a limit below what is held and sold is taken, with an excess.
func TestStaffLowerALimit(t *testing.T) {
	s := open(t)
	ada, eve := s.buyer("ada@example.com"), s.staffer("eve@example.com")
	ada.do("POST", "/v1/events/gig/holds", map[string]any{"places": []map[string]int{{"counter": 1, "quantity": 5}}}).want(http.StatusCreated, "")
	eve("PATCH", "/v1/staff/events/gig", `{"counters": [{"name": "Floor", "class": "C", "capacity": 3}]}`).want(http.StatusOK, "")
	var excess int
	if err := s.db.Pool.QueryRow(t.Context(), `SELECT excess FROM counter`).Scan(&excess); err != nil || excess != 2 {
		t.Errorf("excess %d (%v), want 2", excess, err)
	}
	var told string // readers of the map hear of it
	if err := s.db.Pool.QueryRow(t.Context(), `SELECT payload->>'counters' FROM outbox WHERE aggregate = 'event:1' ORDER BY seq DESC LIMIT 1`).Scan(&told); err != nil || told != `[{"id": 1, "held": 5, "sold": 0, "available": -2}]` {
		t.Errorf("told %s, %v", told, err)
	}
	bob := s.buyer("bob@example.com")
	bob.do("POST", "/v1/events/gig/holds", map[string]any{"places": []map[string]int{{"counter": 1, "quantity": 1}}}).want(http.StatusConflict, "not_enough_places")
	r := eve("GET", "/v1/staff/changes?event=gig", nil)
	if r.str("changes", 0, "before") != "map[capacity:10 excess:0]" || r.str("changes", 0, "after") != "map[capacity:3 excess:2 held:5 sold:0]" {
		t.Errorf("%s", r.body)
	}
}

// B16, B57: a limit is changed in the sale, with who and why on record; who has no
// place is named.
func TestStaffSetALimit(t *testing.T) {
	s := open(t)
	ada, eve := s.buyer("ada@example.com"), s.staffer("eve@example.com")
	held := ada.do("POST", "/v1/events/gig/holds", map[string]any{"places": []map[string]int{{"counter": 1, "quantity": 5}}}).want(http.StatusCreated, "")
	const path = "/v1/staff/events/gig/counters/1/"
	r := eve("PUT", path+"limit", `{"capacity": 3, "overbook": 1, "reason": "the stage is larger"}`).want(http.StatusOK, "")
	if got := r.str("held") + r.str("excess") + r.str("available"); got != "510" {
		t.Errorf("%s", r.body)
	}
	r = eve("GET", "/v1/staff/changes?event=gig", nil).want(http.StatusOK, "")
	if r.str("changes", 0, "reason") != "the stage is larger" || r.str("changes", 0, "actor") != "ropeline-dev|eve@example.com" {
		t.Errorf("%s", r.body)
	}
	order := ada.do("POST", "/v1/events/gig/orders", map[string]any{"hold": held.str("id")}).want(http.StatusCreated, "").str("id")
	ada.do("POST", "/v1/orders/"+order+"/payments", map[string]any{"card_token": "tok_ok", "expected_amount": 15000}).want(http.StatusAccepted, "")
	if paid := ada.settled(order); paid.str("state") != "captured" {
		t.Fatalf("order: %s", paid.body)
	}
	r = eve("GET", path+"denied-boarding", nil).want(http.StatusOK, "")
	if denied := r.get("denied").([]any); len(denied) != 2 || r.str("denied", 0, "email") != "ada@example.com" || r.str("denied", 0, "order") != order || r.str("denied", 1, "unit") != "5" {
		t.Errorf("%s", r.body)
	}
	for body, code := range map[string]string{
		`{"capacity": 3, "reason": "x"}`: "invalid_body", `{"capacity": 3, "overbook": 4, "reason": "x"}`: "invalid_limit", `{"capacity": 3, "overbook": 0, "reason": " "}`: "invalid_limit",
		`{"capacity": 3, "overbook": 0, "reason": "x", "price": 1}`: "invalid_body",
	} {
		eve("PUT", path+"limit", body).want(http.StatusUnprocessableEntity, code)
	}
	eve("PUT", "/v1/staff/events/gig/counters/9/limit", `{"capacity": 3, "overbook": 0, "reason": "x"}`).want(http.StatusNotFound, "not_found")
	eve("GET", "/v1/staff/events/gig/counters/x/denied-boarding", nil).want(http.StatusNotFound, "not_found")
}

func TestStaffAreToldWhatIsWrong(t *testing.T) {
	s := open(t)
	eve := s.staffer("eve@example.com")
	for _, c := range []struct{ method, path, body, want string }{
		{"PUT", "events/dance", "{\n\"title\": 7,\n\"organisr\": \"Org\"}", `{"line":2,"field":"title","text":"is a number, want a text in quotes"`},
		{"PUT", "events/dance", `{"slug": "other"}`, `"line":1,"field":"slug","text":"is not \"dance\", which the address names; a slug never changes"`},
		{"PUT", "events/dance", `{}, {}`, `something follows the document`},
		{"PATCH", "events/gig", `{"currency": "PLN"}`, `"field":"currency","text":"is PLN, but event \"gig\" is sold in EUR; a currency never changes"`},
		{"PATCH", "events/gig", `{"titl": "x"}`, `"field":"titl","text":"is no field of this object; did you mean \"title\"?"`},
		{"PATCH", "events/gig", `{"title": "a", "title": "b"}`, `is there twice`},
		{"PATCH", "events/gig", `[]`, `is no object`},
		{"PUT", "venues/hall", `{"name": "Hall", "city": "Bonn", "country": "DE", "width": 100, "height": 50}`, `"text":"\"hall\" differs from the plan that 1 events already use`},
	} {
		r := eve(c.method, "/v1/staff/"+c.path, c.body).want(http.StatusUnprocessableEntity, "invalid_catalogue")
		if !strings.Contains(string(r.body), c.want) {
			t.Errorf("%s %s %s:\n%s\nwant %s", c.method, c.path, c.body, r.body, c.want)
		}
	}
	eve("PATCH", "/v1/staff/events/nope", `{}`).want(http.StatusNotFound, "not_found")
	eve("GET", "/v1/staff/events/nope", nil).want(http.StatusNotFound, "not_found")
	eve("GET", "/v1/staff/changes?before=x", nil).want(http.StatusUnprocessableEntity, "invalid_parameter")
}
