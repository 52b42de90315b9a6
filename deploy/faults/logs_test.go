package faults

import (
	"os"
	"testing"
)

// FR15: an old copy of one edge's log, and Redis empty. The edge with the old log comes first: nobody is let in before the
// other has reported, and what only the other knew holds.
func TestStaleLogComesFirst(t *testing.T) {
	w := build(t, setup{edges: 2})
	stale, knows := w.edges[0], w.edges[1]
	early := w.comes(stale, 10)
	w.enters(early[0], stale)
	check(t, os.CopyFS(w.path("old"), os.DirFS(stale.Rooms())))
	late := w.comes(knows, 20)
	for _, v := range append(early[1:], late[:5]...) {
		w.enters(v, knows)
	}
	used := late[0]
	if a, err := used.Post(t.Context(), knows.URL(), "leave"); err != nil || a.Status != 200 {
		t.Fatalf("leave: %+v, %v", a, err)
	}
	stale.Kill()
	knows.Kill()
	check(t, os.RemoveAll(stale.Rooms()))
	check(t, os.Rename(w.path("old"), stale.Rooms()))
	check(t, w.redis.FlushAll(t.Context()).Err())

	check(t, stale.Start(t.Context()))
	w.visits(early[1], stale) // passes need nobody's word
	for range 3 {
		if a, err := late[7].Post(t.Context(), stale.URL(), "enter"); err == nil && a.Status == 200 {
			t.Fatal("somebody entered before the logs were merged")
		}
	}
	if s := must(stale.Status(t.Context()))(t); s.State == "open" {
		t.Error("the room is open with one edge's old log")
	}
	check(t, knows.Start(t.Context()))
	w.until("the room is open again", func() bool { return must(knows.Status(t.Context()))(t).State == "open" })
	fresh := w.joins(stale)
	for _, v := range append(early, late...) {
		if v.Index == fresh.Index {
			t.Fatalf("index %d was given twice", v.Index)
		}
	}
	w.until("a used ticket is used", func() bool {
		a, err := used.Post(t.Context(), stale.URL(), "enter")
		if err == nil && a.Status == 200 {
			t.Fatal("a used ticket entered again")
		}
		return err == nil && a.State == "used"
	})
	w.enters(late[7], stale, knows)
	w.progress(stale, knows)
}
