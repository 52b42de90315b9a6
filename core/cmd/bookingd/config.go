package main

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"

	"github.com/ropeline/ropeline/admission"
)

// config is the environment, as text: what a variable may be is checked here, in
// one place, so that every error names the variable and the cure in one line.
type config struct {
	DatabaseURL      string `env:"DATABASE_URL"`
	OwnerDatabaseURL string `env:"OWNER_DATABASE_URL"`
	DatabaseConns    int32  `env:"DATABASE_CONNS" envDefault:"16"`
	MapsDatabaseURL  string `env:"MAPS_DATABASE_URL"`
	Listen           string `env:"LISTEN" envDefault:"127.0.0.1:9000"`
	InternalListen   string `env:"INTERNAL_LISTEN" envDefault:"127.0.0.1:9001"`
	TrustedProxies   string `env:"TRUSTED_PROXIES" envDefault:"127.0.0.0/8,::1/128"`
	Pass             string `env:"PASS" envDefault:"required"`
	PassRoom         string `env:"PASS_ROOM" envDefault:"boxoffice"`
	PassJWKSURL      string `env:"PASS_JWKS_URL"`
	OriginSecrets    string `env:"ORIGIN_SECRETS"`
	TelemetrySecrets string `env:"TELEMETRY_SECRETS"`
	DevIssuer        string `env:"DEV_ISSUER" envDefault:"off"`
	IssuerKeyFile    string `env:"ISSUER_KEY_FILE" envDefault:"issuer-key.pem"`
	TicketKeyFile    string `env:"TICKET_KEY_FILE" envDefault:"ticket-key.pem"`
	FakepayURL       string `env:"FAKEPAY_URL" envDefault:"http://127.0.0.1:9100"`
	FakepayPublicURL string `env:"FAKEPAY_PUBLIC_URL" envDefault:"/fakepay"`
	FakepaySecrets   string `env:"FAKEPAY_WEBHOOK_SECRETS"`
	StripeKey        string `env:"STRIPE_KEY"`
	StripeSecrets    string `env:"STRIPE_WEBHOOK_SECRETS"`
	StripeCardPage   string `env:"STRIPE_CARD_PAGE" envDefault:"/card"`
	StripeURL        string `env:"STRIPE_URL"`
	HoldsPerMinute   string `env:"HOLDS_PER_MINUTE" envDefault:"60,150"`
	PaysPerMinute    string `env:"PAYMENTS_PER_MINUTE" envDefault:"15,60"`
	PaymentLimit     string `env:"PAYMENT_LIMIT" envDefault:"off"`
	Sweep            string `env:"SWEEP" envDefault:"on"`
	Drain            string `env:"DRAIN" envDefault:"0s"`

	proxies []netip.Prefix
	secrets []string
	lock    *admission.OriginLock // nil: none
	drain   time.Duration

	holds, payments [2]int // tries a minute of a buyer, and of a network; 0: no limit
	contract        [2]int // calls to the provider at once, and a second; 0: as many as we like
}

const prefix = "BOOKINGD_"

// loadConfig reads the environment; lookup is os.Environ in the form of a map.
func loadConfig(environ map[string]string) (config, error) {
	var c config
	if err := env.ParseWithOptions(&c, env.Options{Environment: environ, Prefix: prefix}); err != nil {
		var parse env.ParseError
		if errors.As(err, &parse) { // DatabaseConns is the only one that is not text
			return c, fmt.Errorf("%sDATABASE_CONNS: %q is no whole number; write one like 16", prefix, environ[prefix+"DATABASE_CONNS"])
		}
		return c, fmt.Errorf("environment: %w", err)
	}
	return c, nil
}

// unknown lists variables with our prefix that nobody reads: misspelt ones, most
// likely. They are a warning and no error, since an orchestrator adds some of its
// own (a Kubernetes service "bookingd" sets BOOKINGD_PORT everywhere).
func unknown(environ map[string]string) []string {
	read := map[string]bool{}
	fields, err := env.GetFieldParamsWithOptions(&config{}, env.Options{Prefix: prefix})
	if err != nil {
		return nil
	}
	for _, f := range fields {
		read[f.Key] = true
	}
	var names []string
	for name := range environ {
		if strings.HasPrefix(name, prefix) && !read[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func environment() map[string]string { return env.ToMap(os.Environ()) }

func bad(name, format string, args ...any) error {
	return fmt.Errorf("%s%s: %s", prefix, name, fmt.Sprintf(format, args...))
}

// forServe checks what serve needs.
func (c *config) forServe() error {
	checks := []error{
		postgresURL("DATABASE_URL", c.DatabaseURL, "postgres://ropeline_app@127.0.0.1/ropeline"),
		address("LISTEN", c.Listen), address("INTERNAL_LISTEN", c.InternalListen),
		oneOf("PASS", c.Pass, "required", "off"), oneOf("DEV_ISSUER", c.DevIssuer, "on", "off"), oneOf("SWEEP", c.Sweep, "on", "off"),
		httpURL("FAKEPAY_URL", c.FakepayURL),
	}
	if c.Pass == "required" {
		checks = append(checks, httpURL("PASS_JWKS_URL", c.PassJWKSURL))
		if c.PassRoom == "" {
			checks = append(checks, bad("PASS_ROOM", "is empty; name the waiting room in front"))
		}
	}
	if c.DatabaseConns < 4 || c.DatabaseConns > 1000 {
		checks = append(checks, bad("DATABASE_CONNS", "is %d, want 4 to 1000", c.DatabaseConns))
	}
	c.secrets = append(c.secrets, split(c.FakepaySecrets)...)
	if len(c.secrets) == 0 && c.StripeKey == "" {
		checks = append(checks, bad("FAKEPAY_WEBHOOK_SECRETS", "is empty; set it to the secret the provider signs with (FAKEPAY_WEBHOOK_SECRET)"))
	}
	if c.StripeKey != "" && len(split(c.StripeSecrets)) == 0 {
		checks = append(checks, bad("STRIPE_WEBHOOK_SECRETS", "is empty; set it to the signing secret of the endpoint /webhooks/stripe (whsec_...)"))
	}
	for _, s := range split(c.TrustedProxies) {
		p, err := netip.ParsePrefix(s)
		if err != nil {
			checks = append(checks, bad("TRUSTED_PROXIES", "%q is no network; write it like 10.0.0.0/8", s))
		}
		c.proxies = append(c.proxies, p)
	}
	var err error
	if c.OriginSecrets != "" {
		if c.lock, err = admission.NewOriginLock(split(c.OriginSecrets)...); err != nil {
			checks = append(checks, bad("ORIGIN_SECRETS", "%v", err))
		}
	}
	for _, s := range split(c.TelemetrySecrets) {
		if err := admission.CheckOriginSecret(s); err != nil {
			checks = append(checks, bad("TELEMETRY_SECRETS", "%v", err))
		}
	}
	if c.drain, err = time.ParseDuration(c.Drain); err != nil || c.drain < 0 || c.drain > 10*time.Minute {
		checks = append(checks, bad("DRAIN", "%q is no duration up to 10m; write it like 5s", c.Drain))
	}
	if c.holds, err = perMinute(c.HoldsPerMinute); err != nil {
		checks = append(checks, bad("HOLDS_PER_MINUTE", "%v", err))
	}
	if c.payments, err = perMinute(c.PaysPerMinute); err != nil {
		checks = append(checks, bad("PAYMENTS_PER_MINUTE", "%v", err))
	}
	if c.contract, err = contract(c.PaymentLimit); err != nil {
		checks = append(checks, bad("PAYMENT_LIMIT", "%v", err))
	}
	return errors.Join(checks...)
}

// contract reads "20,80": calls to the provider at once, and a second.
func contract(text string) (limits [2]int, err error) {
	if text == "off" {
		return limits, nil
	}
	words := split(text)
	if len(words) != len(limits) {
		return limits, fmt.Errorf("%q: want calls to the provider at once and a second, as in 20,80, or off", text)
	}
	for i, w := range words {
		if limits[i], err = strconv.Atoi(w); err != nil || limits[i] < 1 || limits[i] > 10_000 {
			return limits, fmt.Errorf("%q is no number of calls from 1 to 10000; write it like 20,80, or off", w)
		}
	}
	if limits[0] < leastAtOnce {
		return limits, fmt.Errorf("%d calls at once: want at least %d, one for payments and one for refunds", limits[0], leastAtOnce)
	}
	return limits, nil
}

// leastAtOnce calls to the provider are needed.
const leastAtOnce = 2

// perMinute reads "60,150": for one buyer, for one network.
func perMinute(text string) (limits [2]int, err error) {
	if text == "off" {
		return limits, nil
	}
	words := split(text)
	if len(words) != len(limits) {
		return limits, fmt.Errorf("%q: want tries a minute of a buyer and of a network, as in 60,150, or off", text)
	}
	for i, w := range words {
		if limits[i], err = strconv.Atoi(w); err != nil || limits[i] < 1 || limits[i] > 1_000_000 {
			return limits, fmt.Errorf("%q is no number of tries a minute from 1 to 1000000; write it like 60,150, or off", w)
		}
	}
	return limits, nil
}

// ownerURL is the database of migrate.
func (c *config) ownerURL() (string, error) {
	return c.OwnerDatabaseURL, postgresURL("OWNER_DATABASE_URL", c.OwnerDatabaseURL, "postgres://owner@127.0.0.1/ropeline")
}

// importURL is the owner's database, or the application's, whose role may import too.
func (c *config) importURL() (string, error) {
	if c.OwnerDatabaseURL == "" && c.DatabaseURL != "" {
		return c.DatabaseURL, postgresURL("DATABASE_URL", c.DatabaseURL, "postgres://ropeline_app@127.0.0.1/ropeline")
	}
	return c.ownerURL()
}

func split(list string) []string {
	var parts []string
	for _, s := range strings.Split(list, ",") {
		if s = strings.TrimSpace(s); s != "" {
			parts = append(parts, s)
		}
	}
	return parts
}

func postgresURL(name, value, example string) error {
	if value == "" {
		return bad(name, "is not set; write it like %s", example)
	}
	u, err := url.Parse(value)
	if err != nil || (u.Scheme != "postgres" && u.Scheme != "postgresql") {
		return bad(name, "is no postgres:// address; write it like %s", example) // the value may hold a password
	}
	return nil
}

func httpURL(name, value string) error {
	u, err := url.Parse(value)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return bad(name, "%q is no http address; write it like http://127.0.0.1:8080/...", value)
	}
	return nil
}

func address(name, value string) error {
	if _, _, err := net.SplitHostPort(value); err != nil {
		return bad(name, "%q is not host:port; write it like 127.0.0.1:9000", value)
	}
	return nil
}

func oneOf(name, value string, words ...string) error {
	for _, w := range words {
		if value == w {
			return nil
		}
	}
	return bad(name, "%q is not one of: %s", value, strings.Join(words, ", "))
}
