package readpath

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/ropeline/ropeline/seatmap"
)

func must(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func clone(m *seatmap.Map) *seatmap.Map {
	c := *m
	c.States, c.Counters = slices.Clone(m.States), slices.Clone(m.Counters)
	return &c
}
