package caddymodule

import (
	"strings"
	"testing"
	"time"

	"github.com/ropeline/ropeline/loadtest/ladder"
)

// What loadtest ladder prints is a block that a room takes as it is.
func TestTheLaddersBlockIsTaken(t *testing.T) {
	v, err := ladder.Read(strings.NewReader("page GET / 14s\nhold:75% POST /holds 45s {}\npay POST /pay?card=1 0s\nother GET /help 0s\n"), "visit")
	if err != nil {
		t.Fatal(err)
	}
	calm := map[string]time.Duration{"page": 40 * time.Millisecond, "hold": 150 * time.Millisecond, "pay": 200 * time.Millisecond, "other": time.Millisecond}
	climb := ladder.Climb{Broke: true, Best: ladder.Result{Rate: 7.3}, Steps: []ladder.Result{{Means: calm}}}
	block := climb.Snippet(v, "origin")
	e := newEdge(t, roomWith(block), "")
	p, err := e.room().conf.Load().paceConfig()
	if err != nil {
		t.Fatal(err)
	}
	if p.LastRate != 7.3 || p.SafeRate != 44.0/60 || p.Ceiling != 21.9 || p.Resources[0].Name != "origin" || p.Resources[0].Cost != [6]float64{1, 3.75, 5, 0, 0.1} {
		t.Errorf("%s\nis read as %+v", block, p)
	}
}
