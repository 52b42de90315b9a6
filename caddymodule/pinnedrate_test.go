package caddymodule

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A rate that was set for a time ends at its time also while a pin is in force beside it, and the end of both is written down.
func TestATimedRateEndsUnderAPin(t *testing.T) {
	e := newEdge(t, roomWith("rate 4/s", "pace shadow"), "")
	e.until("decided", func() bool { return e.paceDoc().Mode == "shadow" })
	r, now := e.room(), time.Now()
	e.admin("rate", `{"rate":"5/s","for":"10m","who":"ann","why":"x"}`)
	if err := adminCall("POST", "/ropeline/rooms/main/pace/override", `{"mode":"pin","rate":9,"for":"20m","who":"bob","why":"x"}`); err != nil {
		t.Fatal(err)
	}
	e.until("pinned", func() bool { s := e.snapshot(); return s.Paced && rateText(s) == "9.00/s" })
	status := func() string {
		t.Helper()
		out, err := e.operate(operator{}, func(o *operator) error { return o.status("main") })
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	rows := strings.Split(status(), "\n")
	for row, want := range map[string]string{"rate ": "9.00/s", "rate set ": "5/s until " + stamp(now)[:11], "pace ": "pin until " + stamp(now)[:11]} {
		found := false
		for _, line := range rows {
			found = found || strings.HasPrefix(line, row) && strings.Contains(line, want)
		}
		if !found {
			t.Errorf("no %q with %q in\n%s", row, want, strings.Join(rows, "\n"))
		}
	}
	r.scheduleStep(t.Context(), r.now().Add(11*time.Minute))
	if s := e.snapshot(); s.Fixed.String() != "4/s" {
		t.Errorf("after its end the rate is %s", s.Fixed)
	}
	r.scheduleStep(t.Context(), r.now().Add(21*time.Minute))
	if left := r.kept.expiring(); len(left) != 0 {
		t.Errorf("still to come: %v", left)
	}
	log := fmt.Sprint(e.auditRecords())
	for _, want := range []string{"expiry of ann rate 5/s 4/s", "expiry of bob pace pin 9.00/s shadow"} {
		if !strings.Contains(log, want) {
			t.Errorf("not in the audit log: %s\n%s", want, log)
		}
	}
}

// The end of a word that another has replaced is nothing to write down.
func TestAReplacedPinHasNoEnd(t *testing.T) {
	e := newEdge(t, roomWith("pace auto"), "")
	e.until("known", func() bool { return known(e.snapshot()) })
	e.admin("rate", `{"rate":"9/s","for":"10m","who":"ann","why":"x"}`)
	e.admin("pause", `{"who":"bob"}`)
	if left := e.room().expiring(); len(left) != 0 {
		t.Errorf("still to come: %v", left)
	}
	e.room().scheduleStep(t.Context(), e.room().now().Add(11*time.Minute))
	if log := fmt.Sprint(e.auditRecords()); strings.Contains(log, "expiry of ann") {
		t.Errorf("the end of what was over before:\n%s", log)
	}
}

// A rate that is as it was is not said to become what it is.
func TestARateThatChangesNothingHasNoEnd(t *testing.T) {
	e := newEdge(t, roomWith("rate 4/s"), "")
	e.until("known", func() bool { return known(e.snapshot()) })
	e.admin("rate", `{"rate":"5/s","for":"10m"}`)
	e.admin("rate", `{"rate":"4/s","for":"10m"}`)
	out, err := e.operate(operator{}, func(o *operator) error { return o.status("main") })
	if err != nil || strings.Contains(out, "then 4/s") || len(e.room().kept.expiring()) != 0 {
		t.Errorf("%v\n%s", err, out)
	}
}
