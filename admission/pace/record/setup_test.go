package record

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/ropeline/ropeline/admission/pace"
)

func TestASetupIsReadBackAsItWas(t *testing.T) {
	for _, ceiling := range []float64{0, 90} {
		c, err := pace.NewConfig(pace.Config{Ceiling: ceiling, Resources: []pace.Resource{{Name: "db", Cost: [pace.MaxKinds]float64{pace.Page: 1}, Work: 6, Advisory: true}}})
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(NewSetup(c))
		if err != nil {
			t.Fatal(err)
		}
		var s Setup
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Fatal(err)
		}
		if back, err := s.Pace(); err != nil || !reflect.DeepEqual(back, c) {
			t.Errorf("%v\n%+v\nread as\n%+v", err, c, back)
		}
	}
}

// A file that was cut off at its beginning is understood within a minute.
func TestASetupIsSaidAgain(t *testing.T) {
	a, b := &pace.Config{}, &pace.Config{}
	at := time.Unix(1_800_000_000, 0)
	var d Due
	for i, c := range []struct {
		cfg   *pace.Config
		after time.Duration
		due   bool
	}{{a, 0, true}, {a, time.Second, false}, {a, 59 * time.Second, false}, {a, time.Minute, true}, {a, 61 * time.Second, false}, {b, 62 * time.Second, true}, {b, 30 * time.Second, true}} {
		if got := d.Setup(c.cfg, at.Add(c.after)) != nil; got != c.due {
			t.Errorf("step %d: due %v", i, got)
		}
	}
}

func TestCountsAreThoseThatAreNotZero(t *testing.T) {
	list := []uint32{0, 3, 0, 0, 1}
	c := NewCounts(list)
	back := make([]uint32, 5)
	if err := c.Into(back); err != nil || len(c) != 2 || !reflect.DeepEqual(back, list) {
		t.Errorf("%v: %v, %v", c, back, err)
	}
	if err := c.Into(back[:4]); err == nil {
		t.Error("a bucket that does not exist was taken")
	}
}
