package caddymodule

import (
	"encoding/json"
	"testing"
)

// What is written by hand is what encoding/json would write.
func TestKnockBodyIsItsJSON(t *testing.T) {
	for _, b := range []knockBody{
		{}, {State: "waiting", Index: 1 << 40, Place: -1, X: 7, Rank: 3, Epoch: 1_796_000_000, RetryInMS: 1500},
		{State: "used", Code: "already_used", Index: 5, Place: 5, EntryInMS: -1},
		{State: "door", Rank: 2, RetryInMS: 1000, Full: true},
	} {
		want, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(b.encode()); got != string(want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
