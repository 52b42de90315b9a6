package booking

import (
	"math"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// seatOp is what one request wanted of one seat. A hold is named by its key, which
// its client knows even when it never learned the answer.
type seatOp struct {
	seat    int32
	release bool
	hold    string
}

type seatEnd int

const (
	endDone    seatEnd = iota
	endTaken           // refused because somebody has the seat
	endUnknown         // may have happened at any later time, or never
)

// oneSeat is a seat as a single machine would keep it: free, or held by one hold.
var oneSeat = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		by := make(map[int32][]porcupine.Operation)
		for _, op := range history {
			seat := op.Input.(seatOp).seat
			by[seat] = append(by[seat], op)
		}
		var parts [][]porcupine.Operation
		for _, p := range by {
			parts = append(parts, p)
		}
		return parts
	},
	Init: func() any { return "" },
	Step: func(state, input, output any) (bool, any) {
		holder, op := state.(string), input.(seatOp)
		switch end := output.(seatEnd); {
		case end == endTaken:
			return holder != "", holder
		case op.release && holder == op.hold:
			return true, ""
		case !op.release && holder == "":
			return true, op.hold
		default:
			return end == endUnknown, holder
		}
	},
}

// history is what the clients of a sale saw.
type history struct {
	mu    sync.Mutex
	begun time.Time
	ops   []porcupine.Operation
}

func (h *history) now() int64 { return int64(time.Since(h.begun)) }

// add notes an operation that was called at a time and has ended now, or never.
func (h *history) add(client int, called int64, op seatOp, end seatEnd) {
	returned := h.now()
	if end == endUnknown {
		returned = math.MaxInt64
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, porcupine.Operation{ClientId: client, Input: op, Call: called, Output: end, Return: returned})
}

// check: every seat's history could have happened on one machine, one operation after
// the other, each between its call and its return.
func (h *history) check(t *testing.T) {
	t.Helper()
	if r := porcupine.CheckOperationsTimeout(oneSeat, h.ops, time.Minute); r != porcupine.Ok {
		t.Errorf("the history of %d operations is %s", len(h.ops), r)
	}
}

// The checker finds what it is there to find.
func TestTheCheckerOfHistories(t *testing.T) {
	op := func(client int, call, end int64, o seatOp, out seatEnd) porcupine.Operation {
		return porcupine.Operation{ClientId: client, Input: o, Call: call, Output: out, Return: end}
	}
	a, b := seatOp{1, false, "a"}, seatOp{1, false, "b"}
	back := seatOp{1, true, "a"}
	for name, c := range map[string]struct {
		ops  []porcupine.Operation
		good bool
	}{
		"twice held":                 {[]porcupine.Operation{op(1, 0, 10, a, endDone), op(2, 5, 15, b, endDone)}, false},
		"taken, but free":            {[]porcupine.Operation{op(1, 0, 10, a, endTaken)}, false},
		"held, given back, held":     {[]porcupine.Operation{op(1, 0, 10, a, endDone), op(1, 11, 20, back, endDone), op(2, 15, 30, b, endDone)}, true},
		"held before it was back":    {[]porcupine.Operation{op(1, 0, 10, a, endDone), op(2, 11, 14, b, endDone), op(1, 15, 20, back, endDone)}, false},
		"taken by an unknown":        {[]porcupine.Operation{op(1, 0, math.MaxInt64, a, endUnknown), op(2, 11, 14, b, endTaken)}, true},
		"an unknown that never was":  {[]porcupine.Operation{op(1, 0, math.MaxInt64, a, endUnknown), op(2, 11, 14, b, endDone)}, true},
		"an unknown in the future":   {[]porcupine.Operation{op(2, 0, 5, b, endTaken), op(1, 6, math.MaxInt64, a, endUnknown)}, false},
		"an unknown that comes late": {[]porcupine.Operation{op(1, 0, math.MaxInt64, a, endUnknown), op(2, 1, 5, b, endDone), op(3, 6, 9, seatOp{1, false, "c"}, endTaken)}, true},
	} {
		if got := porcupine.CheckOperations(oneSeat, c.ops); got != c.good {
			t.Errorf("%s: %v", name, got)
		}
	}
}
