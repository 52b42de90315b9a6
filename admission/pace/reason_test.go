package pace

import (
	"strings"
	"testing"
)

// Where new people make it tightest at the end, those inside have needed their most long before.
func TestABoundTellsTheMostThatComes(t *testing.T) {
	var f forecast
	for i := range f.Base {
		f.Base[i], f.Unit[i] = 0, 10*float64(i+1)/Horizon
	}
	f.Base[2] = 5
	if b := bound(&f, 10, 78.4); b.Coming != 5 {
		t.Errorf("%+v", b)
	}
}

func TestALimitThatNobodyCameNearWasNotTried(t *testing.T) {
	c := &Config{Resources: []Resource{{Name: "origin"}}}
	var d Decision
	d.Reason, d.Rate = 0, 7.8
	d.Resources[0] = Bound{Blind: true, Work: 78.4, Tried: 20, Coming: 12}
	if s := c.Sentence(&d); strings.Contains(s, "found by trying") || !strings.Contains(s, "20.0 units of work a second so far: up to 78.4 are tried") {
		t.Error(s)
	}
	d.Resources[0].Tried = 84
	if s := c.Sentence(&d); !strings.Contains(s, "found by trying: 78.4") {
		t.Error(s)
	}
}
