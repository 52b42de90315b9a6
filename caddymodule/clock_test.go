package caddymodule

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// FE9, FE10: a clock that is off is told once when it is, and once when it is well again; 1.5 s and one slow answer are not.
func TestClockIsToldOnce(t *testing.T) {
	var c clockWatch
	var told []string
	for _, skew := range []float64{0, 1.5, 1.5, 9, 0, 3600, 3600, 3601, 3600, -3600, -3600, -3600, 0.5, 0.5, 0.5, 1.9, 3, 3, 1.9} {
		if c.changed(time.Duration(skew * float64(time.Second))) {
			told = append(told, fmt.Sprint(skew))
		}
	}
	if got := strings.Join(told, " "); got != "3600 -3600 0.5 3" {
		t.Errorf("told at %s", got)
	}
}
