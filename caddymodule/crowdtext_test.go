package caddymodule

import (
	"testing"
)

// Who stands at the door waits, and nobody is present who does not wait.
func TestCrowdText(t *testing.T) {
	report := func(waiting, present, door, x, joined int64) roomReport {
		return roomReport{statusDoc: statusDoc{Waiting: waiting, Door: door, X1: x, Joined: joined}, Present: present}
	}
	for _, row := range []struct {
		of               roomReport
		waiting, present int64
		called           string
	}{
		{report(0, 2, 1, 18, 2), 1, 1, "all 2 places given, and the next 16 as they are given"},
		{report(318, 335, 20, 82, 400), 338, 335, "the first 82 of 400 places given"},
		{report(5, 3, 0, 0, 5), 5, 3, "the first 0 of 5 places given"},
	} {
		if waiting, present := row.of.depth(); waiting != row.waiting || present != row.present {
			t.Errorf("%d waiting, %d present, want %d and %d", waiting, present, row.waiting, row.present)
		}
		if got := row.of.called(); got != row.called {
			t.Errorf("%q, want %q", got, row.called)
		}
	}
}
