package caddymodule

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/ropeline/ropeline/admission/line"
	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/pace/lead"
	"github.com/ropeline/ropeline/admission/pace/record"
	pacereport "github.com/ropeline/ropeline/admission/pace/report"
	"github.com/ropeline/ropeline/admission/pace/signal"
)

// PaceConfig is how a room finds its rate by itself. The reference with defaults and units is README.md.
type PaceConfig struct {
	Mode            string         `json:"mode,omitempty"`             // auto, shadow, off (default)
	Preset          string         `json:"preset,omitempty"`           // bookingd: its kinds and resources
	P99             caddy.Duration `json:"p99,omitempty"`              // objective; default 1s
	Errors          string         `json:"errors,omitempty"`           // objective, share of requests; default 1%
	LockWait        caddy.Duration `json:"lock_wait,omitempty"`        // objective; default 200ms
	Slew            string         `json:"slew,omitempty"`             // growth a second; default 5%
	SafeRate        string         `json:"safe_rate,omitempty"`        // while nothing is known; default a tenth of last_rate, else 1/s
	LastRate        string         `json:"last_rate,omitempty"`        // reached at an earlier event; default the room's rate, else none
	Floor           string         `json:"floor,omitempty"`            // default 1 % of last_rate, else a tenth of safe_rate
	Ceiling         string         `json:"ceiling,omitempty"`          // default three times last_rate, else none
	Telemetry       []string       `json:"telemetry,omitempty"`        // addresses of what the origin tells
	TelemetrySecret string         `json:"telemetry_secret,omitempty"` // file; its first line is sent as a bearer token
	Resources       []PaceResource `json:"resources,omitempty"`
	Kinds           []PaceKind     `json:"kinds,omitempty"`
	HoldFor         caddy.Duration `json:"hold_for,omitempty"`     // an unpaid hold lasts; default 8m
	Seats           string         `json:"seats,omitempty"`        // that one hold takes; default 1
	Stock           string         `json:"stock,omitempty"`        // on (default with telemetry), off
	DecisionLog     string         `json:"decision_log,omitempty"` // file; default in the room's data directory; off
}

// PaceResource is something of the origin that runs out.
type PaceResource struct {
	Name     string             `json:"name"`
	Cost     map[string]float64 `json:"cost,omitempty"`     // by kind; default 1 each
	Work     float64            `json:"work,omitempty"`     // guess of what one person brings; default 10
	WorkAge  caddy.Duration     `json:"work_age,omitempty"` // its mean session age; default 90s
	Headroom string             `json:"headroom,omitempty"` // share of the capacity to use
	Advisory bool               `json:"advisory,omitempty"`
}

// PaceKind sorts requests: the first that fits counts.
type PaceKind struct {
	Kind string `json:"kind"`
	Path string `json:"path"` // POST /v1/events/*/holds
}

// The modes of a file.
const (
	paceAuto   = pacereport.Auto
	paceShadow = pacereport.Shadow
	paceOff    = pacereport.Off

	defaultWork   = 10
	presetBooking = "bookingd"
	noLog         = "off"
	decisionsName = "decisions.jsonl"
	maxKinds      = 64
)

// presetKinds and presetResources are bookingd's: what its telemetry counts as kinds, by its routes. A payment brings its
// confirmation along, which no visitor asks for.
var (
	presetKinds = []PaceKind{
		{"hold", "POST /v1/events/*/holds"},
		{"pay", "POST /v1/orders/*/payments"},
	}
	presetResources = []PaceResource{
		{Name: "db", Cost: map[string]float64{"page": 1, "hold": 4, "pay": 5, "other": 1}, Work: defaultWork},
		{Name: "payment", Cost: map[string]float64{"pay": 1}, Work: 0.5, WorkAge: caddy.Duration(130 * time.Second), Headroom: "85%"},
	}
)

func (c *PaceConfig) on() bool { return c != nil && (c.Mode == paceAuto || c.Mode == paceShadow) }

func (c RoomConfig) paced() bool { return c.Pace.on() && c.Pace.Mode == paceAuto }

// paceConfig is the controller's part. Every error names the option and the cure.
func (c RoomConfig) paceConfig() (*pace.Config, error) {
	p := c.Pace
	out := pace.Config{Latency: time.Duration(p.P99).Seconds(), LockWait: time.Duration(p.LockWait).Seconds(), HoldFor: time.Duration(p.HoldFor).Seconds()}
	out.Stock = p.Stock == "on" || p.Stock == "" && len(p.Telemetry) > 0
	var err error
	shares := []struct {
		name, text string
		to         *float64
	}{{"errors", p.Errors, &out.Errors}, {"slew", p.Slew, &out.SlewUp}}
	for _, s := range shares {
		if *s.to, err = shareOf(s.name, s.text); err != nil {
			return nil, err
		}
	}
	if out.Errors >= 1 {
		return nil, fmt.Errorf("errors %q: that is all requests, and no origin would ever be too full: write a share below 100%%, for example 1%%", p.Errors)
	}
	rates := []struct {
		name, text string
		to         *float64
	}{{"safe_rate", p.SafeRate, &out.SafeRate}, {"last_rate", p.LastRate, &out.LastRate}, {"floor", p.Floor, &out.Floor}, {"ceiling", p.Ceiling, &out.Ceiling}}
	if p.LastRate == "" {
		rates[1].text = c.Rate // the rate that somebody trusted so far is what is known of the origin
	}
	for _, r := range rates {
		if *r.to, err = perSecondOf(r.name, r.text); err != nil {
			return nil, err
		}
	}
	for i, text := range []string{p.SafeRate, p.LastRate, p.Floor, p.Ceiling} {
		if text != "" && *rates[i].to == 0 {
			return nil, fmt.Errorf("%s %s: nobody would enter: write more than 0, for example 1/10s, or leave it out for the default", rates[i].name, text)
		}
	}
	if out.SeatsAHold, err = positiveOf("seats", p.Seats); err != nil {
		return nil, err
	}
	resources := p.Resources
	switch {
	case len(resources) > 0:
	case p.Preset == presetBooking:
		resources = presetResources
	case len(p.Telemetry) > 0:
		resources = []PaceResource{{Name: "db"}}
	default:
		resources = []PaceResource{{Name: "origin"}}
	}
	for _, r := range resources {
		one, err := r.resource()
		if err != nil {
			return nil, err
		}
		out.Resources = append(out.Resources, one)
	}
	return pace.NewConfig(out)
}

func (r PaceResource) resource() (out pace.Resource, err error) {
	out = pace.Resource{Name: r.Name, Work: r.Work, WorkAge: time.Duration(r.WorkAge).Seconds(), Advisory: r.Advisory}
	if out.Work == 0 {
		out.Work = defaultWork
	}
	if out.Headroom, err = shareOf("headroom", r.Headroom); err != nil {
		return out, fmt.Errorf("resource %s: %w", r.Name, err)
	}
	for _, kind := range []int{pace.Page, pace.Hold, pace.Pay, pace.Other} {
		if r.Cost == nil {
			out.Cost[kind] = 1
		}
	}
	for name, cost := range r.Cost {
		kind := kindOf(name)
		if kind < 0 {
			return out, fmt.Errorf("resource %s: cost of %q: the kinds are %s", r.Name, name, kindNames())
		}
		out.Cost[kind] = cost
	}
	return out, nil
}

// check names the first pace option that cannot work.
func (c RoomConfig) checkPace() error {
	p := c.Pace
	if p == nil {
		return nil
	}
	switch {
	case p.Mode != "" && p.Mode != paceAuto && p.Mode != paceShadow && p.Mode != paceOff:
		return fmt.Errorf("pace %q: write auto, shadow or off", p.Mode)
	case !p.on():
		return nil
	case p.Preset != "" && p.Preset != presetBooking:
		return fmt.Errorf("pace: preset %q: the only one is %s", p.Preset, presetBooking)
	case p.Stock != "" && p.Stock != "on" && p.Stock != "off":
		return fmt.Errorf("pace: stock %q: write on or off", p.Stock)
	case p.Stock == "on" && len(p.Telemetry) == 0:
		return fmt.Errorf("pace: stock needs telemetry: the edge cannot see what is left")
	case p.TelemetrySecret != "" && len(p.Telemetry) == 0:
		return fmt.Errorf("pace: telemetry_secret needs telemetry: name the address too")
	case len(p.Telemetry) > signal.MaxURLs:
		return fmt.Errorf("pace: telemetry names %d addresses, at most %d: one name may stand for many instances", len(p.Telemetry), signal.MaxURLs)
	case len(p.Kinds) > maxKinds:
		return fmt.Errorf("pace: %d kinds, at most %d", len(p.Kinds), maxKinds)
	}
	for _, u := range p.Telemetry {
		if err := signal.CheckURL(u); err != nil {
			return fmt.Errorf("pace: %w", err)
		}
	}
	if _, err := sorterOf(p); err != nil {
		return fmt.Errorf("pace: %w", err)
	}
	if _, err := c.paceConfig(); err != nil {
		return fmt.Errorf("pace: %s", strings.TrimPrefix(err.Error(), "pace: "))
	}
	return nil
}

// leadConfig is all of it, as the room's pacer takes it; nil: the rate is fixed.
func (c RoomConfig) leadConfig(room, dir string) (*lead.Config, error) {
	if !c.Pace.on() {
		return nil, nil
	}
	p, err := c.paceConfig()
	if err != nil {
		return nil, err
	}
	out := &lead.Config{Room: room, Shadow: c.Pace.Mode == paceShadow, Pace: p, Sources: signal.Sources{URLs: c.Pace.Telemetry}}
	secret, err := c.Pace.secret()
	if err != nil {
		return nil, err
	}
	if secret != "" {
		out.Sources.Header = http.Header{"Authorization": {"Bearer " + secret}}
	}
	if path := c.decisionLog(dir); path != "" {
		out.Log = record.NewLog(path)
	}
	return out, nil
}

func (c RoomConfig) decisionLog(dir string) string {
	switch c.Pace.DecisionLog {
	case noLog:
		return ""
	case "":
		return dir + string(os.PathSeparator) + decisionsName
	}
	return c.Pace.DecisionLog
}

// firstRate is what a paced room begins with, and falls back to when its store has forgotten what was decided.
func (c RoomConfig) firstRate() (line.Rate, error) {
	p, err := c.paceConfig()
	if err != nil {
		return line.Rate{}, fmt.Errorf("pace: %s", strings.TrimPrefix(err.Error(), "pace: "))
	}
	return line.Rate{Count: 1, Per: time.Duration(lead.Gap(p.SafeRate)) * time.Microsecond}, nil
}

func kindOf(name string) int {
	if name == "" {
		return -1
	}
	return slices.Index(signal.Kinds[:], name)
}

func kindNames() string {
	return strings.TrimSpace(strings.Join(signal.Kinds[:], " "))
}

// said is the mode, for the audit log.
func (c *PaceConfig) said() string {
	if c == nil || c.Mode == "" {
		return paceOff
	}
	return c.Mode
}
