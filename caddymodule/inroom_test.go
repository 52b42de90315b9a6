package caddymodule

import (
	"errors"
	"testing"
)

// An error names its room once, whoever wrote it.
func TestAnErrorNamesItsRoomOnce(t *testing.T) {
	for in, want := range map[string]string{
		"room main: log of the edge: x is in use": "room main: log of the edge: x is in use",
		"operator.json: unreadable":               "room main: operator.json: unreadable",
		"room mainly: x":                          "room main: room mainly: x",
	} {
		if got := inRoom("main", errors.New(in)); got.Error() != want {
			t.Errorf("%q", got)
		}
	}
	if inRoom("main", nil) != nil {
		t.Error("an error out of nothing")
	}
}
