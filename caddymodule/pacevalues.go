package caddymodule

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ropeline/ropeline/admission/line"
)

// shareOf reads 1% or 0.01; nothing is 0.
func shareOf(name, text string) (float64, error) {
	if text == "" {
		return 0, nil
	}
	digits, percent := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(digits, 64)
	if percent {
		v /= 100
	}
	if err != nil || !(v > 0) || v > 1 {
		return 0, fmt.Errorf("%s %q: write a share, for example 1%%", name, text)
	}
	return v, nil
}

// perSecondOf reads 20/s or 1/10s; nothing is 0.
func perSecondOf(name, text string) (float64, error) {
	if text == "" {
		return 0, nil
	}
	r, err := line.ParseRate(text)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return r.PerSecond(), nil
}

func positiveOf(name, text string) (float64, error) {
	if text == "" {
		return 0, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%s %q: write a number above 0, for example 2.5", name, text)
	}
	return v, nil
}
