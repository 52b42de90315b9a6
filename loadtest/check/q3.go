package check

import (
	"container/heap"
	"context"
	"errors"
	"fmt"

	"github.com/ropeline/ropeline/loadtest/history"
)

// Q3, order (cases/faults.md; DESIGN promise 5): when b is granted, nobody with a
// smaller place stands at the door, and nobody with a place at or beyond X is
// ever granted. Who stands at the door follows from the log's own events: there
// from "door" until "drop", "grant", "leave" or "expire". And no place that a buyer
// was shown is ever larger than one shown before.
var q3 = Invariant{
	ID: "Q3", Statement: "nobody is let in before somebody with a smaller place at the door, nor from beyond X",
	Needs: []Source{Grants, History},
	find: func(_ context.Context, e *Evidence) ([]Finding, error) {
		if granted(e.Grants) == 0 {
			return nil, errors.New("the grant log has no grant; give --grant-log of the room")
		}
		if len(e.History) == 0 {
			return nil, errors.New("the history is empty; give --history")
		}
		return append(outOfOrder(e.Grants), grown(e.History)...), nil
	},
}

func granted(events []GrantEvent) int {
	n := 0
	for _, e := range events {
		if e.Event == "grant" {
			n++
		}
	}
	return n
}

func outOfOrder(events []GrantEvent) []Finding {
	var found []Finding
	var at door
	var x int64
	epoch := int64(-1)
	for _, e := range events {
		if e.Epoch != epoch { // a new line: its places have nothing to do with the old ones
			at, x, epoch = newDoor(), 0, e.Epoch
		}
		if e.Rebuilt { // the store was lost and with it the door: people knock again
			at = newDoor()
		}
		if e.X != nil && (e.Event == "x" || e.Event == "room") {
			x = *e.X
		}
		switch e.Event {
		case "door":
			at.come(e)
		case "drop", "leave", "expire":
			at.gone(e.Vid)
		case "grant":
			at.gone(e.Vid)
			if first, waiting := at.first(); waiting && *first.Place < *e.Place {
				found = append(found, Finding{
					What:     fmt.Sprintf("place %d was granted while place %d stood at the door", *e.Place, *first.Place),
					Evidence: map[string]any{"seq": e.Seq, "granted": e.Vid, "passed_over": first.Vid, "at_the_door_since": first.Seq},
				})
			}
			if *e.Place >= x {
				found = append(found, Finding{
					What:     fmt.Sprintf("place %d was granted while X was %d", *e.Place, x),
					Evidence: map[string]any{"seq": e.Seq, "granted": e.Vid},
				})
			}
		}
	}
	return found
}

// grown looks at what each buyer was told in turn. Answers that overlap in time
// may have been made in either order.
func grown(spans []history.Span) []Finding {
	type shown struct{ place, until int64 }
	last := map[int]shown{}
	var found []Finding
	for _, s := range spans {
		place := s.Answer().Place
		if place == nil || *place < 0 { // before the draw
			continue
		}
		before, again := last[s.Begin.Client]
		if again && *place > before.place && s.Begin.Mono > before.until {
			found = append(found, Finding{
				What:     fmt.Sprintf("a buyer was shown place %d and later %d", before.place, *place),
				Evidence: map[string]any{"client": s.Begin.Client, "operation": s.Begin.Op},
			})
		}
		last[s.Begin.Client] = shown{*place, s.End.Mono}
	}
	return found
}

// door is who stands there, with the smallest place at hand. Those who went stay
// in the heap until they come up: a grant looks at one head, not at everybody.
type door struct {
	since   map[string]GrantEvent // vid -> its latest "door" event
	byPlace placeHeap
}

func newDoor() door { return door{since: map[string]GrantEvent{}} }

func (d *door) come(e GrantEvent) {
	d.since[e.Vid] = e
	heap.Push(&d.byPlace, e)
}

func (d *door) gone(vid string) { delete(d.since, vid) }

func (d *door) first() (GrantEvent, bool) {
	for len(d.byPlace) > 0 {
		head := d.byPlace[0]
		if now, there := d.since[head.Vid]; there && now.Seq == head.Seq {
			return head, true
		}
		heap.Pop(&d.byPlace)
	}
	return GrantEvent{}, false
}

type placeHeap []GrantEvent

func (h placeHeap) Len() int           { return len(h) }
func (h placeHeap) Less(i, j int) bool { return *h[i].Place < *h[j].Place }
func (h placeHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *placeHeap) Push(e any)        { *h = append(*h, e.(GrantEvent)) }
func (h *placeHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
