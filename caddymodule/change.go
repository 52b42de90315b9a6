package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ropeline/ropeline/admission/line"
)

const (
	maxWho     = 100
	maxWhy     = 300
	maxEntropy = 1000
	maxFor     = 30 * 24 * time.Hour

	changeAgain = 200 * time.Millisecond
)

// adminBody is the body of a change; each action reads its own member, all may say who, why and for how long.
type adminBody struct {
	Rate    *line.Rate `json:"rate"`
	Cap     *int       `json:"cap"`
	Message *string    `json:"message"`
	Entropy string     `json:"entropy"`
	adminSteps
	Who string `json:"who"`
	Why string `json:"why"`
	For string `json:"for"` // 10m: afterwards it is as it was before
}

// change is what an operator wants of a room: property What becomes To.
type change struct {
	What, To string
	Who, Why string
	Until    time.Time // zero: it stands

	do   func(context.Context, *room) error // nil: put
	said string                             // for the audit log, instead of the value after
}

// The properties a change is about, as the audit log names them.
const (
	whatRate    = "rate"
	whatCap     = "cap"
	whatState   = "state"
	whatMessage = "message"
	whatEntropy = "entropy"
	whatTerm    = "term"
	whatEpoch   = "epoch"
	whatReason  = "stopped by itself"
	whatEdges   = "edges"
)

// actions are the last parts of POST /ropeline/rooms/<room>/<action>.
var actions = map[string]func(adminBody) (change, error){
	"open":     func(adminBody) (change, error) { return change{What: whatState, To: "open"}, nil },
	"pause":    func(adminBody) (change, error) { return change{What: whatState, To: "paused"}, nil },
	"sold-out": func(adminBody) (change, error) { return change{What: whatState, To: "sold_out"}, nil },
	"resume":   resumeStep,
	"close":    func(adminBody) (change, error) { return change{What: whatState, To: "closed"}, nil },
	"rate": func(b adminBody) (change, error) {
		if b.Rate == nil {
			return change{}, errors.New(`rate is missing: send {"rate":"20/s"}`)
		}
		return change{What: whatRate, To: b.Rate.String()}, nil
	},
	"cap": func(b adminBody) (change, error) {
		if b.Cap == nil || *b.Cap < 0 || *b.Cap > line.MaxCap {
			return change{}, fmt.Errorf(`cap is missing or out of range: send {"cap":500}, 0 to %d`, line.MaxCap)
		}
		return change{What: whatCap, To: strconv.Itoa(*b.Cap)}, nil
	},
	"message": func(b adminBody) (change, error) {
		if b.Message == nil || len(*b.Message) > maxMessage {
			return change{}, fmt.Errorf(`message is missing or too long: send {"message":"Doors at eight"}, at most %d bytes, "" takes it away`, maxMessage)
		}
		return change{What: whatMessage, To: *b.Message}, nil
	},
	"entropy": func(b adminBody) (change, error) {
		if b.Entropy == "" || len(b.Entropy) > maxEntropy {
			return change{}, fmt.Errorf(`entropy is missing or too long: send {"entropy":"<the value the source named>"}, at most %d bytes`, maxEntropy)
		}
		return change{What: whatEntropy, To: b.Entropy}, nil
	},
	"recall":      recallStep,
	"reset":       resetStep,
	"forget-edge": forgetStep,
}

// want reads an action's body into a change. Errors are the caller's (400).
func want(action string, b adminBody, now time.Time) (change, error) {
	c, err := actions[action](b)
	if err != nil {
		return c, err
	}
	if len(b.Who) > maxWho || len(b.Why) > maxWhy {
		return c, fmt.Errorf("who or why is too long: at most %d and %d bytes", maxWho, maxWhy)
	}
	c.Who, c.Why = b.Who, b.Why
	if b.For == "" {
		return c, nil
	}
	d, err := time.ParseDuration(b.For)
	if err != nil || d < time.Second || d > maxFor {
		return c, fmt.Errorf("for %q: write how long it holds, 1s to %s, for example 10m", b.For, maxFor)
	}
	if c.do != nil || c.What == whatEntropy || c.What == whatState && c.To != "paused" && c.To != "sold_out" {
		return c, fmt.Errorf("for: %s cannot be taken back by itself: only rate, cap, message, pause and sold-out can", action)
	}
	c.Until = now.Add(d)
	return c, nil
}

// value is a property as it is now.
func (r *room) value(what string) string {
	s := r.line.Snapshot()
	switch what {
	case whatRate:
		return s.Fixed.String() // what was set: a pin or a decision is in force beside it and changes nothing of it
	case whatCap:
		return strconv.Itoa(s.Settings.Cap)
	case whatState:
		return s.State
	case whatPace:
		return r.paceValue(s)
	case whatMessage:
		return r.message()
	case whatEntropy:
		return s.Draw.Entropy
	case whatTerm:
		return strconv.FormatInt(s.Term, 10)
	case whatEpoch:
		return strconv.FormatInt(s.Epoch, 10)
	case whatReason:
		return s.Reason
	case whatEdges:
		return strings.Join(append(slices.Clone(s.Edges), s.Cut...), " ")
	}
	return ""
}

// put makes a property what it shall be.
func (r *room) put(ctx context.Context, what, to string) error {
	switch what {
	case whatMessage:
		return r.line.Change(ctx, line.Change{Message: &to})
	case whatEntropy:
		return r.line.SetEntropy(ctx, to)
	case whatState:
		word := map[string]line.Action{"open": line.ActionOpen, "paused": line.ActionPause, "sold_out": line.ActionSoldOut, "resumed": line.ActionResume, "closed": line.ActionClose}[to]
		return r.line.Change(ctx, line.Change{Action: word})
	case whatRate:
		rate, err := line.ParseRate(to)
		if err != nil {
			return err
		}
		return r.line.Change(ctx, line.Change{Rate: &rate})
	}
	n, err := strconv.Atoi(to)
	if err != nil {
		return err
	}
	return r.line.Change(ctx, line.Change{Cap: &n})
}

// change applies, remembers what to take back, and writes it down.
func (r *room) change(ctx context.Context, c change) error {
	if c.do == nil && c.What == whatRate && r.conf.Load().paced() {
		return r.pin(ctx, c)
	}
	before := r.value(c.What)
	if c.do == nil {
		c.do = func(ctx context.Context, r *room) error { return r.put(ctx, c.What, c.To) }
	}
	// A room that is being put together, or an edge that has yet to put the last recall on its disk, takes a second or two.
	// Nothing was done then, so asking again is safe.
	err := c.do(ctx, r)
	for (errors.Is(err, line.ErrMerging) || errors.Is(err, line.ErrPending)) && pause(ctx, changeAgain) == nil {
		err = c.do(ctx, r)
	}
	if err != nil {
		return err
	}
	after := r.value(c.What)
	if c.said != "" {
		after = c.said
	}
	if err := r.kept.changed(c, before, after); err != nil {
		r.log.Error("the change stands, but will not be taken back by itself", "what", c.What, "error", err)
	}
	r.note(c.Who, c.What, before, after, c.Why, c.Until)
	r.explainPause(ctx, c)
	r.status.forget()
	return nil
}

// changeStatus is the HTTP status of a change that failed.
func changeStatus(err error) int {
	if errors.Is(err, line.ErrStore) {
		return http.StatusServiceUnavailable
	}
	if errors.Is(err, line.ErrNoEdge) {
		return http.StatusNotFound
	}
	return http.StatusConflict
}
