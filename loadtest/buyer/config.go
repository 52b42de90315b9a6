package buyer

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/ropeline/ropeline/loadtest/history"
)

const (
	// MaxBuyers bounds a crowd of one process: each has a goroutine and some kilobytes.
	MaxBuyers = 100_000
	maxSeats  = 4 // of one purchase; below the usual limit of an account
)

// Config of a crowd.
type Config struct {
	Edge   string // address of the edge, http://127.0.0.1:8080
	Room   string // name of the waiting room
	Event  string // slug of the event
	Page   string // path of the event's page; "" = /events/<event>
	Buyers int
	Seed   uint64

	Early    float64       // share that comes before the room opens; the others come after
	EarlyFor time.Duration // early ones come over this long, or over what is left until the opening
	LateFor  time.Duration // later ones come over this long from the opening on
	Patience time.Duration // how long somebody inside waits for seats that others hold

	Shares   Shares
	WalkAway int // at most this many walk away, so that the sale has an end; 0 = any number
	History  *history.Writer
}

// Shares say which part of the people do something. They are independent.
type Shares struct {
	Ghost     float64 // joins the line and never knocks
	Duplicate float64 // sends hold, order and pay twice at once, with the same key
	WalkAway  float64 // of those who hold seats: goes away with the hold or the order, and says nothing
	Release   float64 // of those who hold seats: gives them back and chooses others
	LatePay   float64 // of those who order: pays when the hold is over
	Decline   float64 // of those who pay: the first card is declined, the second works
}

// Validate completes the configuration, or names what is wrong with it and the
// cure. Run does it too; a caller that makes files wants to know before.
func (c *Config) Validate() error {
	u, err := url.Parse(c.Edge)
	switch {
	case err != nil || u.Scheme == "" || u.Host == "":
		return fmt.Errorf("--edge %q is not an address like http://127.0.0.1:8080", c.Edge)
	case c.Event == "":
		return fmt.Errorf("--event is missing: the slug of the event to buy, as in GET /v1/events")
	case c.Room == "":
		return fmt.Errorf("--room is missing: the name of the waiting room")
	case c.Buyers < 1 || c.Buyers > MaxBuyers:
		return fmt.Errorf("--buyers %d: from 1 to %d", c.Buyers, MaxBuyers)
	}
	for name, share := range map[string]float64{
		"early": c.Early, "ghost": c.Shares.Ghost, "duplicate": c.Shares.Duplicate, "walk-away": c.Shares.WalkAway,
		"release": c.Shares.Release, "late-pay": c.Shares.LatePay, "decline": c.Shares.Decline,
	} {
		if share < 0 || share > 1 {
			return fmt.Errorf("--%s %g: a share from 0 to 1", name, share)
		}
	}
	c.Edge = strings.TrimSuffix(c.Edge, "/")
	if c.Page == "" {
		c.Page = "/events/" + c.Event
	}
	return nil
}
