package caddymodule

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/ropeline/ropeline/admission/line"
)

const (
	defaultQueueStatus = 503
	maxTitle           = 120
	maxMessage         = 500
)

// RoomConfig is what a configuration says about one room. The reference with defaults and units is README.md.
type RoomConfig struct {
	Rate          string         `json:"rate,omitempty"`           // required, except with pace auto: 20/s, 2000/min, 1000/10s
	Pace          *PaceConfig    `json:"pace,omitempty"`           // the rate that the origin bears; default: off
	Cap           *int           `json:"cap,omitempty"`            // live sessions; default 500
	State         string         `json:"state,omitempty"`          // open (default), prequeue, paused, closed
	OpensAt       string         `json:"opens_at,omitempty"`       // RFC 3339; with prequeue
	PrequeueAt    string         `json:"prequeue_at,omitempty"`    // RFC 3339; nobody joins before
	ClosesAt      string         `json:"closes_at,omitempty"`      // RFC 3339; closed then, once
	Idle          caddy.Duration `json:"idle,omitempty"`           // default 10m
	Hard          caddy.Duration `json:"hard,omitempty"`           // default 60m
	Passthrough   bool           `json:"passthrough,omitempty"`    // a safety net: no line while there is room
	FailOpenFor   caddy.Duration `json:"fail_open_for,omitempty"`  // of a safety net, the store away; default 10m
	EntropySource string         `json:"entropy_source,omitempty"` // "none" (default) or one sentence
	JoinLimit     string         `json:"join_limit,omitempty"`     // new places of one address; default 300/min
	QueueStatus   int            `json:"queue_status,omitempty"`   // of the page: 503 (default) or 429
	CookieDomain  string         `json:"cookie_domain,omitempty"`  // one line for all hosts of this domain
	BindPass      string         `json:"bind_pass,omitempty"`      // on (default): a pass needs its visitor's ticket beside it; off
	ReturnPath    string         `json:"return_path,omitempty"`    // where a bank POSTs visitors back to
	Cors          string         `json:"cors,omitempty"`           // origins whose pages may read our answers
	Beside        string         `json:"beside,omitempty"`         // presets outside the gate
	Crawlers      string         `json:"crawlers,omitempty"`       // networks, files and https lists of crawlers outside the gate
	OriginSecret  string         `json:"origin_secret,omitempty"`  // file; its first line is shown to the origin
	GrantLog      string         `json:"grant_log,omitempty"`      // file; default: none
	ReloadSpread  caddy.Duration `json:"reload_spread,omitempty"`  // over which open streams are closed after a reload; default 10s
	Title         string         `json:"title,omitempty"`          // of the page; default: the room's name
	Message       string         `json:"message,omitempty"`        // one sentence to those who wait
	Pow           string         `json:"pow,omitempty"`            // off, auto (default), always
	Join          string         `json:"join,omitempty"`           // anyone (default), identified, invited
	IdentityKey   string         `json:"identity_key,omitempty"`   // file of the key that the site's sign-in signs with
	IdentityFrom  string         `json:"identity_from,omitempty"`  // cookie:<name> or header:<name>; default cookie:identity
	SignIn        string         `json:"sign_in,omitempty"`        // path of the sign-in page, outside the gate

	Captcha        string `json:"captcha,omitempty"`          // turnstile, hcaptcha; default: none
	CaptchaSiteKey string `json:"captcha_site_key,omitempty"` // public, for the widget
	CaptchaSecret  string `json:"captcha_secret,omitempty"`   // for the service; may be a placeholder
	CaptchaURL     string `json:"captcha_url,omitempty"`      // siteverify address in place of the service's own

	WaitPage string `json:"wait_page,omitempty"` // off (default), on: a page for a cache to keep; needs the cache's rule
	Template string `json:"template,omitempty"`  // file: html/template in place of our page
	Texts    string `json:"texts,omitempty"`     // file or directory: other words, more languages
}

// roomName is what a cookie's name, a key in Redis, a URL and a directory can all carry.
var roomName = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9_-]{0,38}[a-z0-9])?$`)

func checkName(name string) error {
	if !roomName.MatchString(name) {
		return fmt.Errorf("room name %q: use 1 to 40 of a-z 0-9 - _, a letter or digit first and last", name)
	}
	return nil
}

// settings is the part that lives in the store. Every error names the option and the cure in one line.
func (c RoomConfig) settings() (line.Settings, error) {
	var s line.Settings
	if c.Rate == "" && !c.paced() {
		return s, fmt.Errorf("rate is missing: say how many may enter, for example rate 20/s, or pace auto to find out what the origin bears")
	}
	rate, err := c.rate()
	if err != nil {
		return s, err
	}
	s = line.Settings{State: line.State(c.State), Rate: rate, Cap: line.DefaultCap, Idle: time.Duration(c.Idle),
		Hard: time.Duration(c.Hard), EntropySource: c.EntropySource, Passthrough: c.Passthrough, FailOpenFor: time.Duration(c.FailOpenFor), Message: c.Message}
	if c.paced() {
		s.Cap = line.MaxCap // the rate alone says how many: a cap that nobody chose would do it instead
	}
	if c.Cap != nil {
		s.Cap = *c.Cap
	}
	if c.OpensAt != "" {
		if s.OpensAt, err = time.Parse(time.RFC3339Nano, c.OpensAt); err != nil {
			return s, badTime("opens_at", c.OpensAt)
		}
		s.OpensAt = s.OpensAt.Truncate(time.Millisecond)
		if c.State != string(line.StatePrequeue) {
			return s, fmt.Errorf("opens_at needs state prequeue: add state prequeue, or leave opens_at out")
		}
	}
	if err := c.checkTimes(s.OpensAt); err != nil {
		return s, err
	}
	if c.FailOpenFor != 0 && !c.Passthrough {
		return s, fmt.Errorf("fail_open_for needs passthrough on: other rooms never open without their store")
	}
	s = s.WithDefaults()
	return s, s.Validate()
}

// rate is the one that is set: the file's, or what a paced room begins with.
func (c RoomConfig) rate() (line.Rate, error) {
	if c.Rate != "" {
		if r, err := line.ParseRate(c.Rate); err != nil || !c.paced() {
			return r, err
		}
	}
	return c.firstRate()
}

// badTime names the cure for a time that is none.
func badTime(option, v string) error {
	if t := strings.Replace(strings.TrimSpace(v), " ", "T", 1); !parsedTime(t).IsZero() {
		return fmt.Errorf("%s %q: write T between day and time: %s", option, v, t)
	}
	return fmt.Errorf("%s %q: write a time with its zone, for example 2026-11-30T20:00:00Z", option, v)
}

// checkTimes looks at the schedule beside opens_at.
func (c RoomConfig) checkTimes(opens time.Time) error {
	for name, v := range map[string]string{"prequeue_at": c.PrequeueAt, "closes_at": c.ClosesAt} {
		if v != "" && parsedTime(v).IsZero() {
			return badTime(name, v)
		}
	}
	begins, closes := parsedTime(c.PrequeueAt), parsedTime(c.ClosesAt)
	switch {
	case !begins.IsZero() && c.State != string(line.StatePrequeue):
		return fmt.Errorf("prequeue_at needs state prequeue: add state prequeue, or leave prequeue_at out")
	case !begins.IsZero() && !opens.IsZero() && !begins.Before(opens):
		return fmt.Errorf("prequeue_at %s is not before opens_at %s: nobody could join the draw", c.PrequeueAt, c.OpensAt)
	case !closes.IsZero() && (!opens.IsZero() && !closes.After(opens) || !begins.IsZero() && !closes.After(begins)):
		return fmt.Errorf("closes_at %s is not after the opening: the room would close before it opens", c.ClosesAt)
	}
	return nil
}

// said is what a reload can change about the line, by the options' names.
func (c RoomConfig) said() map[string]string {
	m := map[string]string{"rate": c.Rate, "cap": "", "state": c.State, "opens_at": c.OpensAt, "prequeue_at": c.PrequeueAt, "closes_at": c.ClosesAt,
		"idle": time.Duration(c.Idle).String(), "hard": time.Duration(c.Hard).String(), "entropy_source": c.EntropySource, "message": c.Message,
		"passthrough": strconv.FormatBool(c.Passthrough), "pace": c.Pace.said()}
	if c.Cap != nil {
		m["cap"] = strconv.Itoa(*c.Cap)
	}
	return m
}

func (c RoomConfig) validate() error {
	if err := c.checkPace(); err != nil {
		return err
	}
	if _, err := c.settings(); err != nil {
		return err
	}
	if _, err := joinGap(c.JoinLimit); err != nil {
		return err
	}
	if _, err := origins(c.Cors); err != nil {
		return err
	}
	if err := checkPresets(c.Beside); err != nil {
		return err
	}
	for _, err := range []error{checkPow(c.Pow), checkJoin(c), checkCaptcha(c), checkSpread(c.ReloadSpread)} {
		if err != nil {
			return err
		}
	}
	if _, _, _, err := crawlerSources(c.Crawlers); err != nil {
		return err
	}
	if err := checkCookieDomain(c.CookieDomain); err != nil {
		return err
	}
	if c.BindPass != "" && c.BindPass != "on" && c.BindPass != bindOff {
		return fmt.Errorf("bind_pass %q: write on, or off where visitors' passes may be used without their tickets", c.BindPass)
	}
	if c.WaitPage != "" && c.WaitPage != "off" && c.WaitPage != waitPageOn {
		return fmt.Errorf("wait_page %q: write on, where a cache in front sends newcomers to the waiting page, or off", c.WaitPage)
	}
	if c.WaitPage == waitPageOn && c.Passthrough {
		return fmt.Errorf("wait_page needs passthrough off: the cache in front would send everybody without a pass to the page, also when nobody has to wait")
	}
	if c.ReturnPath != "" && (c.ReturnPath[0] != '/' || strings.ContainsAny(c.ReturnPath, "?#*")) {
		return fmt.Errorf("return_path %q: write one exact path, for example /checkout/return", c.ReturnPath)
	}
	switch {
	case c.QueueStatus != 0 && c.QueueStatus != 429 && c.QueueStatus != 503 && c.QueueStatus != 200:
		return fmt.Errorf("queue_status %d: use 503, or 429 where something in front of the edge acts on 503", c.QueueStatus)
	case c.QueueStatus == 200:
		return fmt.Errorf("queue_status 200: a page that is not the origin's must not look like it: use 503 or 429")
	case len(c.Title) > maxTitle:
		return fmt.Errorf("title: %d bytes, at most %d", len(c.Title), maxTitle)
	case len(c.Message) > maxMessage:
		return fmt.Errorf("message: %d bytes, at most %d", len(c.Message), maxMessage)
	}
	return nil
}
