package pace

import (
	"math"
	"strings"
	"testing"
	"time"
)

// A floor explains nothing: the sentence goes on to what has shut the door.
func TestAFloorNamesWhatIsBeneathIt(t *testing.T) {
	c := shop(t, 1)
	d := Decision{At: start, Reason: ByFloor, Rate: 0.4, Limits: noLimits()}
	d.Limits[0], d.Limits[1], d.Limits[ByFloor] = 20, 0, 0.4
	d.Resources[1] = Bound{Work: 3.5, Coming: 9, Used: 1, Phi: 1, Within: 20}
	if got := d.Cause(); got != 1 {
		t.Fatalf("the cause is %s", c.Name(got))
	}
	if s := c.Sentence(&d); !strings.Contains(s, "floor") || !strings.Contains(s, "payment can do 3.50 units of work a second (100% busy now)") {
		t.Error(s)
	}
	d.Reason = 0
	if d.Cause() != 0 {
		t.Error("a cause that is not the reason, without a floor")
	}
	d = Decision{Reason: ByFloor, Limits: noLimits()}
	d.Limits[ByFloor], d.Limits[BySlew] = 0.4, 0.1
	if s := c.Sentence(&d); d.Cause() != BySlew || !strings.Contains(s, "step by step") {
		t.Error(s)
	}
}

// Completions without busy time are a coarse clock. They were once taken for work that costs nothing, and what was
// computed from that was no number.
func TestWorkInNoTimeIsNoMeasurement(t *testing.T) {
	var c capacity
	cost := [MaxKinds]float64{Page: 1}
	for second := range 20 {
		at := start.Add(time.Duration(2*second) * time.Second)
		c.read(&Reading{At: at, Seconds: 2, Capacity: 4, Done: [MaxKinds]float64{Page: 30}}, &cost)
	}
	if c.Known || math.IsNaN(c.Cost) {
		t.Errorf("known %v, cost %v", c.Known, c.Cost)
	}
}
