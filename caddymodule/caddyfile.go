package caddymodule

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func init() {
	httpcaddyfile.RegisterGlobalOption("ropeline", parseGlobal)
	httpcaddyfile.RegisterDirective("waiting_room", parseDirective)
	// Before basic_auth, which stands before every other way to let somebody in: who waits is not asked for a password.
	httpcaddyfile.RegisterDirectiveOrder("waiting_room", httpcaddyfile.Before, "basic_auth")
}

// option is one line of a block. It reads its single value.
type option[T any] map[string]func(to *T, value string) error

var globalOptions = option[App]{
	"store": func(a *App, v string) error { a.Store = v; return nil },
	"keys":  func(a *App, v string) error { a.Keys = v; return nil },
	"data":  func(a *App, v string) error { a.Data = v; return nil },
}

var roomOptions = option[RoomConfig]{
	"rate":             func(c *RoomConfig, v string) error { c.Rate = v; return nil },
	"cap":              setCap,
	"state":            func(c *RoomConfig, v string) error { c.State = v; return nil },
	"opens_at":         func(c *RoomConfig, v string) error { c.OpensAt = v; return nil },
	"prequeue_at":      func(c *RoomConfig, v string) error { c.PrequeueAt = v; return nil },
	"closes_at":        func(c *RoomConfig, v string) error { c.ClosesAt = v; return nil },
	"idle":             func(c *RoomConfig, v string) error { return setDuration(&c.Idle, v) },
	"hard":             func(c *RoomConfig, v string) error { return setDuration(&c.Hard, v) },
	"passthrough":      setPassthrough,
	"fail_open_for":    func(c *RoomConfig, v string) error { return setDuration(&c.FailOpenFor, v) },
	"entropy_source":   func(c *RoomConfig, v string) error { c.EntropySource = v; return nil },
	"join_limit":       func(c *RoomConfig, v string) error { c.JoinLimit = v; return nil },
	"return_path":      func(c *RoomConfig, v string) error { c.ReturnPath = v; return nil },
	"cors":             func(c *RoomConfig, v string) error { c.Cors = v; return nil },
	"beside":           func(c *RoomConfig, v string) error { c.Beside = v; return nil },
	"queue_status":     setStatus,
	"grant_log":        func(c *RoomConfig, v string) error { c.GrantLog = v; return nil },
	"reload_spread":    func(c *RoomConfig, v string) error { return setDuration(&c.ReloadSpread, v) },
	"title":            func(c *RoomConfig, v string) error { c.Title = v; return nil },
	"message":          func(c *RoomConfig, v string) error { c.Message = v; return nil },
	"pow":              func(c *RoomConfig, v string) error { c.Pow = v; return nil },
	"join":             func(c *RoomConfig, v string) error { c.Join = v; return nil },
	"identity_key":     func(c *RoomConfig, v string) error { c.IdentityKey = v; return nil },
	"identity_from":    func(c *RoomConfig, v string) error { c.IdentityFrom = v; return nil },
	"sign_in":          func(c *RoomConfig, v string) error { c.SignIn = v; return nil },
	"captcha":          func(c *RoomConfig, v string) error { c.Captcha = v; return nil },
	"captcha_site_key": func(c *RoomConfig, v string) error { c.CaptchaSiteKey = v; return nil },
	"captcha_secret":   func(c *RoomConfig, v string) error { c.CaptchaSecret = v; return nil },
	"captcha_url":      func(c *RoomConfig, v string) error { c.CaptchaURL = v; return nil },
	"wait_page":        func(c *RoomConfig, v string) error { c.WaitPage = v; return nil },
	"template":         func(c *RoomConfig, v string) error { c.Template = v; return nil },
	"texts":            func(c *RoomConfig, v string) error { c.Texts = v; return nil },
	"cookie_domain":    func(c *RoomConfig, v string) error { c.CookieDomain = v; return nil },
	"bind_pass":        func(c *RoomConfig, v string) error { c.BindPass = v; return nil },
	"crawlers":         func(c *RoomConfig, v string) error { c.Crawlers = v; return nil },
	"origin_secret":    func(c *RoomConfig, v string) error { c.OriginSecret = v; return nil },
}

func setCap(c *RoomConfig, v string) error {
	n, err := strconv.Atoi(v)
	if err != nil {
		return fmt.Errorf("%q is not a whole number of live sessions, for example 500", v)
	}
	c.Cap = &n
	return nil
}

func setPassthrough(c *RoomConfig, v string) error {
	if v != "on" && v != "off" {
		return fmt.Errorf("%q: write on or off", v)
	}
	c.Passthrough = v == "on"
	return nil
}

func setStatus(c *RoomConfig, v string) error {
	n, err := strconv.Atoi(v)
	if err != nil {
		return fmt.Errorf("%q is not a status: use 503 or 429", v)
	}
	c.QueueStatus = n
	return nil
}

func setDuration(to *caddy.Duration, v string) error {
	d, err := caddy.ParseDuration(v)
	if err != nil || d <= 0 {
		return fmt.Errorf("%q is not a duration, for example 10m", v)
	}
	*to = caddy.Duration(d)
	return nil
}

// places is where in a Caddyfile each option of a block stands.
type places map[string]caddyfile.Dispenser

// blocks is what has options that are blocks themselves.
type blocks interface {
	readBlock(name string, d *caddyfile.Dispenser, where string) (inner places, err error)
}

// parseBlock reads a block of one-value options, refusing unknown, doubled and overfull ones in one line each.
func parseBlock[T any](d *caddyfile.Dispenser, where string, options option[T], to *T) (places, error) {
	seen := places{}
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		name := d.Val()
		if b, ok := any(to).(blocks); ok {
			here := *d
			_, again := seen[name]
			switch inner, err := b.readBlock(name, d, where); {
			case err != nil:
				return nil, err
			case inner != nil && again:
				return nil, d.Errf("%s: %s is given twice: keep one", where, name)
			case inner != nil:
				seen[name] = here
				for option, at := range inner {
					seen[name+": "+option] = at // as errors begin
				}
				continue
			}
		}
		set, ok := options[name]
		if !ok {
			return nil, d.Errf("%s: unknown option %q%s", where, name, cmp.Or(elsewhere(name), outside(name), suggest(name, options)))
		}
		if _, twice := seen[name]; twice {
			return nil, d.Errf("%s: %s is given twice: keep one", where, name)
		}
		seen[name] = *d
		if !d.NextArg() {
			return nil, d.Errf("%s: %s needs a value", where, name)
		}
		value := d.Val()
		if d.NextArg() {
			if halves := value + "T" + d.Val(); strings.HasSuffix(name, "_at") && !parsedTime(halves).IsZero() {
				return nil, d.Errf("%s: %s: write T between day and time: %s", where, name, halves)
			}
			return nil, d.Errf("%s: %s has more than one value: put quotes around it", where, name)
		}
		if err := set(to, value); err != nil {
			return nil, d.Errf("%s: %s: %v", where, name, err)
		}
	}
	return seen, nil
}

// wrong blames the line of the option that an error of several options together names first.
func (p places) wrong(d *caddyfile.Dispenser, where string, err error) error {
	text, first, long := err.Error(), len(err.Error()), 0
	at := d
	for name, here := range p {
		// Of two that begin at one place the longer says more: pace: p99 beside pace.
		if i := strings.Index(text, name); i >= 0 && (i < first || i == first && len(name) > long) {
			first, long, at = i, len(name), &here
		}
	}
	return at.Errf("%s: %w", where, err)
}

// parseGlobal reads the global option:
//
//	ropeline {
//		store redis://127.0.0.1:6379/0 | embedded
//		keys  <dir>
//		data  <dir>
//	}
func parseGlobal(d *caddyfile.Dispenser, existing any) (any, error) {
	if existing != nil {
		return nil, d.Err("ropeline: set twice: keep one block")
	}
	d.Next()
	if d.NextArg() {
		return nil, d.Errf("ropeline: %q: put the options into a block { }", d.Val())
	}
	app := new(App)
	if _, err := parseBlock(d, "ropeline", globalOptions, app); err != nil {
		return nil, err
	}
	return httpcaddyfile.App{Name: "ropeline", Value: caddyconfig.JSON(app, nil)}, nil
}

// parseDirective reads
//
//	waiting_room [<matcher>] <name> {
//		rate 20/s
//		...
//	}
//
// The matcher goes into the handler instead of the route: the reserved prefix has to be served whatever it says, and
// requests beside the gate lose our cookies too.
func parseDirective(h httpcaddyfile.Helper) ([]httpcaddyfile.ConfigValue, error) {
	h.Next()
	matcher, hasMatcher, err := h.MatcherToken()
	if err != nil {
		return nil, err
	}
	handler := new(Handler)
	if hasMatcher {
		if len(matcher) > 0 { // a lone * matches everything
			handler.Gate = caddyhttp.RawMatcherSets{matcher}
		}
	} else {
		h.Reset()
		h.Next()
	}
	if !h.NextArg() {
		return nil, h.Err("waiting_room: the room's name is missing: write waiting_room [matcher] <name> { ... }")
	}
	handler.Room = h.Val()
	if err := checkName(handler.Room); err != nil {
		return nil, h.Errf("waiting_room: %v", err)
	}
	if h.NextArg() {
		return nil, h.Errf("waiting_room %s: %q: put the options into a block { }", handler.Room, h.Val())
	}
	where, start := "waiting_room "+handler.Room, *h.Dispenser
	options, err := parseBlock(h.Dispenser, where, roomOptions, &handler.RoomConfig)
	if err != nil {
		return nil, err
	}
	if len(options) == 0 {
		return nil, start.Errf("%s: rate is missing, and all other options: put them between { at the end of this line and } on one of its own: waiting_room %s { rate 20/s }, a line each", where, handler.Room)
	}
	if err := handler.validate(); err != nil {
		return nil, options.wrong(&start, where, err)
	}
	return h.NewRoute(nil, handler), nil
}

// elsewhere says that an option is one of the other block.
func elsewhere(name string) string {
	if _, ok := globalOptions[name]; ok {
		return ": it belongs into the global block, { ropeline { " + name + " ... } }"
	}
	if paceOptions[name] != nil || paceLists[name] != nil {
		return ": it belongs into the block of pace, pace auto { " + name + " ... }"
	}
	if _, ok := roomOptions[name]; ok {
		return ": it belongs into the block of a room, waiting_room <name> { " + name + " ... }"
	}
	return ""
}

// siteDirectives are directives of Caddy that follow a waiting room in most files.
var siteDirectives = []string{"abort", "basic_auth", "bind", "encode", "error", "file_server", "forward_auth", "handle", "handle_errors", "handle_path",
	"header", "import", "log", "map", "method", "php_fastcgi", "redir", "request_body", "request_header", "respond", "reverse_proxy", "rewrite", "root", "route",
	"templates", "tls", "try_files", "uri", "vars", "waiting_room"}

// outside says that the brace which ends the block was forgotten.
func outside(name string) string {
	if strings.HasPrefix(name, "@") || slices.Contains(siteDirectives, name) {
		return ": it is no option but belongs to the site: end the block with } on a line before it"
	}
	return ""
}

// suggest names the option that was probably meant, or all of them.
func suggest[T any](name string, options option[T]) string {
	best, at := "", 3 // more than two wrong letters are another word
	var all []string
	for o := range options {
		all = append(all, o)
	}
	slices.Sort(all)
	for _, o := range all {
		if d := distance(strings.ToLower(name), o); d < at {
			best, at = o, d
		}
	}
	for _, o := range all {
		if best == "" && (strings.HasPrefix(name, o) || strings.HasPrefix(o, name)) {
			best = o // capacity, opens
		}
	}
	if best != "" {
		return fmt.Sprintf(": did you mean %s?", best)
	}
	return ": use one of " + strings.Join(all, ", ")
}
