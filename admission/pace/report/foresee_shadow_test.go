package report

import (
	"strings"
	"testing"
	"time"
)

// Where decisions are not applied, the rate that was set is what will hold, and the sentence says it.
func TestAPreviewInShadowKeepsTheRateThatWasSet(t *testing.T) {
	d := Document{InForce: 4, Rate: 3.18, Configured: Shadow, Limits: map[string]float64{"db": 3.18}}
	for _, mode := range []string{Shadow, Auto} {
		if p := d.Foresee(Order{Mode: mode}, time.Minute, 4); p.NewRate != 4 || !strings.HasPrefix(p.Sentence, "the rate stays at 4.00 people a second: that is the rate that was set") {
			t.Errorf("%s: %+v", mode, p)
		}
	}
	if p := d.Foresee(Order{Mode: Pin, Rate: 2}, time.Minute, 4); p.NewRate != 2 || strings.Contains(p.Sentence, "shadow") {
		t.Errorf("%+v", p)
	}
	d.Configured = Auto
	if p := d.Foresee(Order{Mode: Auto}, time.Minute, 4); p.NewRate != 3.18 || p.Sentence != "the rate goes from 4.00 to 3.18 people a second" {
		t.Errorf("%+v", p)
	}
}
