package caddymodule

import "fmt"

// depth is who waits as an operator counts them, those at the door included, and how many of them are present. The
// presence is counted once a second and the line moves meanwhile: of those who wait, no more than all are present.
func (r roomReport) depth() (waiting, present int64) {
	waiting = r.Waiting + r.Door
	return waiting, min(r.Present, waiting)
}

// called says how far the line has been called. A room with few people calls places before they are given.
func (r roomReport) called() string {
	if more := r.X1 - r.Joined; more >= 0 && r.X1 > 0 {
		return fmt.Sprintf("all %d places given, and the next %d as they are given", r.Joined, more)
	}
	return fmt.Sprintf("the first %d of %d places given", r.X1, r.Joined)
}
