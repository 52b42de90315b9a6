package admission

import (
	"strings"
	"testing"
	"time"
)

// AQ8: a receipt can be checked with the published keys, and no other token works as one.
func TestReceipt(t *testing.T) {
	r := testRing(t)
	rc := Receipt{Room: "a", Epoch: 7, Index: 3, Leaf: [32]byte{1}, Commit: [32]byte{2}, Source: strings.Repeat("é", 500), IssuedAt: t0}
	raw, err := r.SignReceipt(rc)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := VerifyReceipt(raw, r.JWKS(t0)); err != nil || got != rc {
		t.Errorf("%+v %v", got, err)
	}
	_, err = VerifyReceipt(raw, testRing(t).JWKS(t0))
	wantReason(t, err, ReasonKey)
	_, err = VerifyReceipt(raw, []byte("{}"))
	wantReason(t, err, ReasonUnavailable)
	rc.Source = "none"
	raw, _ = r.SignReceipt(rc)
	pass, _ := r.SignPass(goodPass())
	_, err = VerifyReceipt(pass, r.JWKS(t0))
	wantReason(t, err, ReasonType)
	_, err = r.VerifyPass(raw, "a", t0)
	wantReason(t, err, ReasonType)
	_, err = r.VerifyTicket(raw, "a", t0.Add(time.Second))
	wantReason(t, err, ReasonType)
	for i := range raw {
		if _, err := VerifyReceipt(raw[:i], r.JWKS(t0)); err == nil {
			t.Fatalf("cut at %d: accepted", i)
		}
	}
}
