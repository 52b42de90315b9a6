package caddymodule

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"

	"github.com/ropeline/ropeline/admission/line"
)

// site is where the waiting room listens.
type site struct{ scheme, host, port string }

// config builds what a Caddyfile with one site, one waiting_room and one reverse_proxy would.
func (q *quick) config() (*caddy.Config, site, error) {
	at, err := q.site()
	if err != nil {
		return nil, at, err
	}
	proxy, err := q.proxy()
	if err != nil {
		return nil, at, err
	}
	if q.Rate == "" {
		return nil, at, errors.New("--rate is missing: say how many may enter, for example --rate 20/s, or --rate auto to find out what the origin bears")
	}
	if q.Store != line.Embedded && q.Keys == "" {
		return nil, at, errors.New("--keys is missing: with a shared store, make the keys once with `ropeline keys init <dir>` and give every edge --keys <dir>")
	}
	handler := Handler{Room: q.Room, RoomConfig: RoomConfig{Rate: q.Rate, Cap: &q.Cap, State: q.State, OpensAt: q.OpensAt, GrantLog: q.GrantLog, Title: q.Title}}
	if q.Rate == paceAuto {
		handler.Rate, handler.Pace = "", &PaceConfig{Mode: paceAuto}
		if q.Cap == line.DefaultCap {
			handler.Cap = nil // a cap that nobody chose would decide in place of the origin
		}
	}
	if err := checkName(q.Room); err != nil {
		return nil, at, fmt.Errorf("--room: %w", err)
	}
	if err := handler.validate(); err != nil {
		return nil, at, fmt.Errorf("--%s", strings.NewReplacer("opens_at", "opens-at", "state prequeue:", "--state prequeue:", "add state", "add --state").Replace(err.Error()))
	}
	route := caddyhttp.Route{HandlersRaw: []json.RawMessage{
		caddyconfig.JSONModuleObject(handler, "handler", "waiting_room", nil),
		caddyconfig.JSONModuleObject(proxy, "handler", "reverse_proxy", nil),
	}}
	if at.host != "" {
		route.MatcherSetsRaw = caddyhttp.RawMatcherSets{{"host": caddyconfig.JSON(caddyhttp.MatchHost{at.host}, nil)}}
	}
	server := &caddyhttp.Server{Listen: []string{net.JoinHostPort("", at.port)}, Routes: caddyhttp.RouteList{route}, Errors: originAway()}
	if at.scheme == "http" {
		server.AutoHTTPS = &caddyhttp.AutoHTTPSConfig{Disabled: true}
		server.Protocols = []string{"h1"} // the others need TLS, and Caddy would warn of it at each start
	}
	level := "WARN"
	if q.AccessLog {
		server.Logs, level = &caddyhttp.ServerLogConfig{}, "INFO"
	}
	app := &App{Store: q.Store, Keys: q.Keys, Data: q.dataDir()}
	persist := false
	cfg := &caddy.Config{
		Admin: &caddy.AdminConfig{Disabled: q.Admin == "", Listen: q.Admin, Config: &caddy.ConfigSettings{Persist: &persist}},
		// Caddy warns at each start that the admin endpoint is disabled; here that is the choice.
		Logging: &caddy.Logging{Logs: map[string]*caddy.CustomLog{"default": {Exclude: []string{"admin"}, BaseLog: caddy.BaseLog{
			Level: level, EncoderRaw: json.RawMessage(`{"format":"json"}`)}}}},
		AppsRaw: caddy.ModuleMap{
			"http":     caddyconfig.JSON(caddyhttp.App{Servers: map[string]*caddyhttp.Server{"edge": server}}, nil),
			"ropeline": caddyconfig.JSON(app, nil),
		},
	}
	return cfg, at, nil
}

// originAway says in words that the origin does not answer. Without it Caddy's answer is an empty page, and people inside would
// think that the waiting room had thrown them out.
func originAway() *caddyhttp.HTTPErrorConfig {
	const words = "The site behind this waiting room does not answer just now. You keep your place: please try again in a moment."
	answer := caddyhttp.StaticResponse{StatusCode: "{http.error.status_code}", Body: words,
		Headers: http.Header{"Cache-Control": {"no-store"}, "Retry-After": {"10"}, "Content-Type": {"text/plain; charset=utf-8"}}}
	return &caddyhttp.HTTPErrorConfig{Routes: caddyhttp.RouteList{{
		MatcherSetsRaw: caddyhttp.RawMatcherSets{{"expression": caddyconfig.JSON(caddyhttp.MatchExpression{Expr: "{http.error.status_code} in [502, 503, 504]"}, nil)}},
		HandlersRaw:    []json.RawMessage{caddyconfig.JSONModuleObject(answer, "handler", "static_response", nil)},
	}}}
}

func (q *quick) site() (site, error) {
	if _, err := strconv.ParseUint(q.From, 10, 16); err == nil {
		return site{}, fmt.Errorf("--from %s: a port is written with a colon before it: --from :%s", q.From, q.From)
	}
	a, err := httpcaddyfile.ParseAddress(q.From)
	if err != nil {
		return site{}, fmt.Errorf("--from %s: write an address such as :8080, localhost:8080 or tickets.example.com", q.From)
	}
	if a.Path != "" {
		return site{}, fmt.Errorf("--from %s: leave the path out", q.From)
	}
	s := site{a.Scheme, a.Host, a.Port}
	local := a.Host == "" || a.Host == "localhost" || net.ParseIP(a.Host) != nil
	if s.scheme == "" {
		s.scheme = "https"
		if local && s.port != "443" || s.port == "80" {
			s.scheme = "http" // no certificate could be had; a phone on the network must get in as well
		}
	}
	if s.port == "" {
		s.port = map[string]string{"http": "80", "https": "443"}[s.scheme]
	}
	return s, nil
}

func (q *quick) proxy() (*reverseproxy.Handler, error) {
	if q.To == "" {
		return nil, errors.New("--to is missing: name the origin, for example --to http://localhost:3000")
	}
	to := q.To
	if !strings.Contains(to, "://") {
		to = "http://" + strings.TrimPrefix(to, "//")
	}
	u, err := url.Parse(to)
	if err == nil && strings.HasPrefix(u.Host, ":") {
		u.Host = "localhost" + u.Host
	}
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("--to %s: write http://host:port or https://host", q.To)
	}
	if u.Path != "" && u.Path != "/" || u.RawQuery != "" {
		return nil, fmt.Errorf("--to %s: leave the path out: requests keep theirs", q.To)
	}
	port := u.Port()
	transport := reverseproxy.HTTPTransport{}
	if u.Scheme == "https" {
		transport.TLS = new(reverseproxy.TLSConfig)
	}
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	q.origin = u.Scheme + "://" + net.JoinHostPort(u.Hostname(), port)
	return &reverseproxy.Handler{
		TransportRaw: caddyconfig.JSONModuleObject(transport, "protocol", "http", nil),
		Upstreams:    reverseproxy.UpstreamPool{{Dial: net.JoinHostPort(u.Hostname(), port)}},
	}, nil
}

// urls are what to type: on this machine first, then on others of the network.
func (s site) urls() []string {
	url := func(host string) string {
		if s.port == map[string]string{"http": "80", "https": "443"}[s.scheme] {
			return s.scheme + "://" + host
		}
		return s.scheme + "://" + net.JoinHostPort(host, s.port)
	}
	if s.host != "" {
		return []string{url(s.host)}
	}
	out := []string{url("localhost")}
	addrs, _ := net.InterfaceAddrs()
	for _, a := range addrs {
		// Private and public ones alike: which of them a phone reaches only the network knows.
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() && len(out) < 4 {
			out = append(out, url(n.IP.String()))
		}
	}
	return out
}
