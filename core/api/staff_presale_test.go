package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/ropeline/ropeline/core/hold"
)

// Staff see how far the codes of a presale are used; nobody sees a code.
func TestStaffListCodes(t *testing.T) {
	s := open(t)
	ada, eve := s.buyer("ada@example.com"), s.staffer("eve@example.com")
	s.db.Owner(t, `INSERT INTO presale VALUES (1, 1, 'Early/members', now(), NULL)`)
	code := hold.NewCode()
	s.db.Owner(t, `INSERT INTO presale_code VALUES (1, $1, 1, 5), (1, $2, 1, 1)`, hold.CodeHash(code), hold.CodeHash(hold.NewCode()))
	ada.do("POST", "/v1/events/gig/presale", map[string]any{"code": code}).want(http.StatusOK, "")

	list := eve("GET", "/v1/staff/events/gig/presales", nil).want(http.StatusOK, "")
	for field, want := range map[string]string{"name": "Early/members", "presale": "1", "codes": "2", "uses": "6", "used": "1", "accounts": "1", "ends_at": "<nil>"} {
		if got := list.str("presales", 0, field); got != want {
			t.Errorf("%s is %s, want %s", field, got, want)
		}
	}
	codes := eve("GET", "/v1/staff/events/gig/presales/1/codes", nil).want(http.StatusOK, "")
	if n := len(codes.get("codes").([]any)); n != 2 || codes.get("next") != nil {
		t.Fatalf("%s", codes.body)
	}
	if strings.Contains(string(codes.body), code) {
		t.Error("the list tells a code")
	}
	if named := eve("GET", "/v1/staff/events/gig/presales/Early%2Fmembers/codes", nil).want(http.StatusOK, ""); string(named.body) != string(codes.body) {
		t.Errorf("by its name: %s\nby its number: %s", named.body, codes.body)
	}
	second := eve("GET", "/v1/staff/events/gig/presales/1/codes?after="+codes.str("codes", 0, "mark"), nil).want(http.StatusOK, "")
	if n := len(second.get("codes").([]any)); n != 1 || second.str("codes", 0, "mark") != codes.str("codes", 1, "mark") {
		t.Errorf("the page after the first: %s", second.body)
	}
	eve("GET", "/v1/staff/events/gig/presales/1/codes?after="+code, nil).want(http.StatusUnprocessableEntity, "invalid_parameter")
	for _, path := range []string{"gig/presales/2/codes", "gig/presales/x/codes", "none/presales", "none/presales/1/codes"} {
		eve("GET", "/v1/staff/events/"+path, nil).want(http.StatusNotFound, "not_found")
	}
}
