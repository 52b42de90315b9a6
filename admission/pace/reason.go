package pace

import (
	"fmt"
	"math"
)

// triedShare is how near to a blind resource's limit its work must have come before the limit counts as tried.
const triedShare = 0.9

// Name of a limit, as in logs and metrics.
func (c *Config) Name(l Limit) string {
	switch {
	case int(l) < len(c.Resources):
		return c.Resources[l].Name
	case l >= MaxResources && l < Limits:
		return limitNames[l-MaxResources]
	}
	return "none"
}

// Sentence explains a decision to a person. It is made when somebody asks, so a decision costs no allocation.
func (c *Config) Sentence(d *Decision) string {
	rate := fmt.Sprintf("%s people a second", number(d.Rate))
	if int(d.Reason) < len(c.Resources) {
		return rate + ": " + c.resource(d)
	}
	o := &d.Override
	switch d.Reason {
	case ByStock:
		return rate + ": " + stockSentence(d)
	case ByCap:
		return fmt.Sprintf("%s: %d people are inside, which is nearly the most allowed", rate, d.Inside)
	case BySlew:
		if math.IsInf(d.Model, 1) {
			return rate + ": the rate rises step by step while people wait and all is well"
		}
		return fmt.Sprintf("%s: the rate rises step by step; the origin would bear %s", rate, number(d.Model))
	case ByConfidence:
		return rate + ": too few people have been seen to know what one brings, so the safe rate holds"
	case ByStale:
		return rate + ": the origin's telemetry has stopped, so its last known capacity is trusted less and less"
	case ByBrake:
		return fmt.Sprintf("%s: the origin is failing (answers take %s and errors are %s times the objective), so only a trickle goes in",
			rate, times(d.Latency), number(d.Errors))
	case ByCeiling:
		return rate + ": that is the ceiling that was set"
	case ByFloor:
		return fmt.Sprintf("%s: that is the floor that was set; without it %s", rate, c.beneath(d))
	case ByPin:
		return fmt.Sprintf("%s: pinned by %s until %s: %s", rate, o.Who, o.Until.Format("15:04:05"), o.Why)
	case ByPause:
		return fmt.Sprintf("nobody enters: paused by %s until %s: %s", o.Who, o.Until.Format("15:04:05"), o.Why)
	case ByDrain:
		return fmt.Sprintf("nobody enters and those inside finish: drained by %s until %s: %s", o.Who, o.Until.Format("15:04:05"), o.Why)
	case ByStore:
		return "nobody enters: the line's store is out of reach"
	}
	return rate + ": nothing limits it"
}

// beneath is what the floor stands on.
func (c *Config) beneath(d *Decision) string {
	cause := d.Cause()
	without := *d
	without.Reason, without.Rate = cause, d.Limits[cause]
	return c.Sentence(&without)
}

func (c *Config) resource(d *Decision) string {
	b := &d.Resources[d.Reason]
	name := c.Resources[d.Reason].Name
	if b.Blind && b.Tried < triedShare*b.Work {
		return fmt.Sprintf("%s tells nothing and was seen to do %s units of work a second so far: up to %s are tried, of which the people inside need up to %s",
			name, number(b.Tried), number(b.Work), number(b.Coming))
	}
	if b.Blind {
		return fmt.Sprintf("%s tells nothing, so its limit was found by trying: %s units of work a second, of which the people inside need up to %s",
			name, number(b.Work), number(b.Coming))
	}
	text := fmt.Sprintf("%s can do %s units of work a second (%.0f%% busy now), the people inside will need up to %s of it within %d s",
		name, number(b.Work), 100*b.Used, number(b.Coming), b.Within+AgeBucket)
	if b.Doubted {
		text += "; it reports less than the gate sees and is not believed"
	}
	if b.Phi < 0.995 {
		text += fmt.Sprintf("; trimmed to %.0f%% because answers were slow", 100*b.Phi)
	}
	return text
}

func stockSentence(d *Decision) string {
	switch d.Stock {
	case SoldOut:
		return "everything is sold"
	case AllHeld:
		if d.Back >= 0 {
			return fmt.Sprintf("every seat is in somebody's basket; the next may return in %.0f s", d.Back)
		}
		return "every seat is in somebody's basket"
	}
	return fmt.Sprintf("%s seats are free and the people inside will want %s", number(d.Seats), number(d.Need))
}

func times(v float64) string { return number(v) + " times the objective" }

func number(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "unlimited"
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
