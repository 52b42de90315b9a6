package api

import (
	"encoding/csv"
	"net/http"
	"strings"
	"testing"
	"time"
)

// paid is an order of the stand's event, captured.
func (b *buyer) paid(event string, body map[string]any) *reply {
	b.s.t.Helper()
	held := b.do("POST", "/v1/events/"+event+"/holds", body).want(http.StatusCreated, "")
	order := b.do("POST", "/v1/events/"+event+"/orders", map[string]any{"hold": held.str("id")}).want(http.StatusCreated, "")
	b.do("POST", "/v1/orders/"+order.str("id")+"/payments", map[string]any{"card_token": "tok_ok"}).want(http.StatusAccepted, "")
	paid := b.settled(order.str("id"))
	if paid.str("state") != "captured" {
		b.s.t.Fatalf("order: %s", paid.body)
	}
	return paid
}

// until asks until ok; the time is how long a hopeless test goes on.
func (r *reply) until(again func() *reply, ok func(*reply) bool) *reply {
	r.t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(r); r = again() {
		if time.Now().After(end) {
			r.t.Fatalf("never: %s", r.body)
		}
		time.Sleep(20 * time.Millisecond)
	}
	return r
}

func TestBuyersGiveLinesBack(t *testing.T) {
	s := open(t)
	s.db.Owner(t, `INSERT INTO refund_tier VALUES (1, 0, 1000, 0)`)
	ada := s.buyer("ada@example.com")
	o := ada.paid("gig", map[string]any{"seats": []int{1, 4}})
	path := "/v1/orders/" + o.str("id")
	if o.str("refund_offer", "amount") != "7650" || o.str("refund_offer", "kept") != "850" {
		t.Errorf("offer: %s", o.body)
	}
	ada.do("POST", path+"/refunds", map[string]any{"lines": []int{}}).want(http.StatusUnprocessableEntity, "invalid_body")
	ada.do("POST", path+"/refunds", map[string]any{"lines": []int{1}, "expected_amount": 4500}).want(http.StatusConflict, "offer_changed")
	key := []string{"Idempotency-Key", "once"}
	first := ada.do("POST", path+"/refunds", map[string]any{"lines": []int{1}, "expected_amount": 4050}, key...).want(http.StatusOK, "")
	again := ada.do("POST", path+"/refunds", map[string]any{"lines": []int{1}, "expected_amount": 4050}, key...).want(http.StatusOK, "")
	if string(first.body) != string(again.body) {
		t.Errorf("a replay differs")
	}
	eve := s.buyer("eve@example.com")
	eve.do("POST", path+"/refunds", map[string]any{"lines": []int{2}}).want(http.StatusNotFound, "not_found")
	get := func() *reply { return ada.do("GET", path, nil) }
	get().until(get, func(r *reply) bool { return r.str("state") == "partly_refunded" })
}

func TestStaffGiveBackWithApprovals(t *testing.T) {
	s := open(t)
	s.db.Owner(t, `INSERT INTO refund_policy VALUES (1, 4000)`)
	ada := s.buyer("ada@example.com")
	ann, bob, cid := s.staffer("ann@example.com"), s.staffer("bob@example.com"), s.staffer("cid@example.com")
	o := ada.paid("gig", map[string]any{"seats": []int{1, 4}})
	path := "/v1/staff/orders/" + o.str("id") + "/refunds"
	ann("POST", path, map[string]any{"lines": []int{2}}).want(http.StatusUnprocessableEntity, "why_required")
	ann("POST", path, map[string]any{"lines": []int{2}, "why": "a pillar"}).want(http.StatusOK, "")
	asked := ann("POST", path, map[string]any{"lines": []int{1}, "why": "another"}).want(http.StatusAccepted, "")
	if list := bob("GET", "/v1/staff/refund-requests", nil).want(http.StatusOK, ""); list.str("requests", 0, "request") != asked.str("request") {
		t.Errorf("waiting: %s", list.body)
	}
	approvals := "/v1/staff/refund-requests/" + asked.str("request") + "/approvals"
	ann("POST", approvals, map[string]any{"amount": 4500}).want(http.StatusForbidden, "self_approval")
	bob("POST", approvals, map[string]any{}).want(http.StatusUnprocessableEntity, "invalid_body")
	bob("POST", approvals, map[string]any{"amount": 4500}).want(http.StatusOK, "")
	if done := cid("POST", approvals, map[string]any{"amount": 4500}).want(http.StatusOK, ""); done.str("state") != "done" {
		t.Errorf("after two: %s", done.body)
	}
	cid("DELETE", "/v1/staff/refund-requests/"+asked.str("request"), nil).want(http.StatusConflict, "already_decided")
	get := func() *reply { return ada.do("GET", "/v1/orders/"+o.str("id"), nil) }
	get().until(get, func(r *reply) bool { return r.str("state") == "refunded" })
}

func TestStaffCancelAnEvent(t *testing.T) {
	s := open(t)
	ada, ann := s.buyer("ada@example.com"), s.staffer("ann@example.com")
	ada.paid("gig", map[string]any{"seats": []int{1}})
	const path = "/v1/staff/events/gig/cancellation"
	if dry := ann("GET", path, nil).want(http.StatusOK, ""); dry.str("state") != "dry_run" || dry.str("amount_left") != "4500" {
		t.Errorf("dry run: %s", dry.body)
	}
	ann("POST", path, map[string]any{"why": "rain"}).want(http.StatusUnprocessableEntity, "invalid_body")
	ann("POST", path, map[string]any{"why": "rain", "expected_amount": 1}).want(http.StatusConflict, "cancellation_changed")
	ann("POST", path, map[string]any{"why": "rain", "expected_amount": 4500}).want(http.StatusAccepted, "")
	get := func() *reply { return ann("GET", path, nil) }
	get().until(get, func(r *reply) bool { return r.str("state") == "done" && r.str("amount_refunded") == "4500" })
}

func TestStaffReadAStatement(t *testing.T) {
	s := open(t)
	ada, ann := s.buyer("ada@example.com"), s.staffer("ann@example.com")
	ada.paid("gig", map[string]any{"seats": []int{1}})
	r := ann("GET", "/v1/staff/statement?organiser=Org&event=gig", nil).want(http.StatusOK, "")
	lines, err := csv.NewReader(strings.NewReader(string(r.body))).ReadAll()
	if err != nil || len(lines) != 2 || lines[1][5] != "45.00" || lines[1][6] != "2.25" || lines[1][9] != "42.75" {
		t.Errorf("%v %v", lines, err)
	}
	ann("GET", "/v1/staff/statement", nil).want(http.StatusUnprocessableEntity, "invalid_parameter")
	ann("GET", "/v1/staff/statement?organiser=Org&from=yesterday", nil).want(http.StatusUnprocessableEntity, "invalid_parameter")
	ann("GET", "/v1/staff/statement?organiser=Nobody", nil).want(http.StatusNotFound, "no_such_organiser")
}
