package caddymodule

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/pflag"
)

// stepFlags are the flags of the commands in operate.go.
type stepFlags struct {
	Next, X, State, OpensAt, EntropySource string
	Yes                                    bool
}

func (s *stepFlags) register(command string, f *pflag.FlagSet) {
	switch command {
	case "resume":
		f.StringVar(&s.Next, "next", "", "of a room that stopped itself: no index below it will be given")
		f.StringVar(&s.X, "x", "", "of a room that stopped itself: places below it have been called")
	case "reset":
		f.StringVar(&s.State, "state", "", "open or prequeue (default: as the configuration says)")
		f.StringVar(&s.OpensAt, "opens-at", "", "with --state prequeue: when to draw and open, for example 2026-11-30T20:00:00Z")
		f.StringVar(&s.EntropySource, "entropy-source", "", "with --state prequeue: a sentence that names the public value of the draw")
		f.BoolVar(&s.Yes, "yes", false, "yes, everybody in the present line loses the place")
	}
}

// fillStep adds to the body what a step needs. Recall and reset name the room as it is now, so that a command whose answer
// was lost can be given again without being done twice.
func (o *operator) fillStep(action, room string, body map[string]any) error {
	switch action {
	case "resume":
		for name, v := range map[string]string{"next": o.steps.Next, "x": o.steps.X} {
			if v == "" {
				continue
			}
			n, err := strconv.ParseInt(v, 10, 64)
			if err != nil {
				return fmt.Errorf("--%s %q: write a whole number, as the status suggests it", name, v)
			}
			body[name] = n
		}
		return nil
	case "reset":
		for name, v := range map[string]string{"state": o.steps.State, "opens_at": o.steps.OpensAt, "entropy_source": o.steps.EntropySource} {
			if v != "" {
				body[name] = v
			}
		}
	case "recall":
	default:
		return nil
	}
	raw, err := o.ask(http.MethodGet, adminPrefix+"/"+url.PathEscape(room), nil)
	if err != nil {
		return err
	}
	var now roomReport
	if err := json.Unmarshal(raw, &now); err != nil {
		return err
	}
	if action == "reset" && !o.steps.Yes {
		return fmt.Errorf("reset takes the places of %d people who joined, and %d who are inside: say --yes if that is meant", now.Joined, now.Live)
	}
	if now.Epoch == 0 {
		return errors.New("the edge has not heard of its room yet: try again in a moment")
	}
	body["epoch"], body["term"] = now.Epoch, now.Term
	return nil
}

// showEdges prints what several edges know of each other, and how to go on when the room has stopped itself.
func showEdges(row func(name, format string, args ...any), r roomReport) {
	for _, e := range r.Edges {
		seen := ""
		if e.LastSeen > 0 {
			seen = ", last seen " + stamp(time.UnixMilli(e.LastSeen))
		}
		if e.Here {
			seen += " (this one)"
		}
		row("edge", "%s: %s%s", e.ID, e.State, seen)
	}
	for _, d := range r.Doubled {
		row("alarm", "indexes %d to %d may have been given twice", d[0], d[1]-1)
	}
	if !r.Settled && r.Reason == "" && !r.StoreStale {
		row("settling", "not every edge has the newest recall, draw or list of edges on disk yet")
	}
	if r.Reason != "" {
		row("stopped", "%s", r.Reason)
		row("go on", "ropeline room resume %s --next %d --x %d, or greater values", r.Room, r.Ceiling, r.X1)
	}
}
