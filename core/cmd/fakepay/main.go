// Command fakepay runs the payment provider of tests and demos: a real HTTP
// server whose faults can be switched at run time. Configuration is by environment.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/caarlos0/env/v11"

	"github.com/ropeline/ropeline/core/payment/fakepay"
)

// config is the environment. Every variable has a default but the webhook pair.
type config struct {
	Listen        string        `env:"FAKEPAY_LISTEN" envDefault:"127.0.0.1:9100"`
	WebhookURL    string        `env:"FAKEPAY_WEBHOOK_URL"`
	WebhookSecret string        `env:"FAKEPAY_WEBHOOK_SECRET"`
	Latency       time.Duration `env:"FAKEPAY_LATENCY"`
	P99           time.Duration `env:"FAKEPAY_P99" envDefault:"3s"`
	Data          string        `env:"FAKEPAY_DATA"`
	ReturnHosts   []string      `env:"FAKEPAY_RETURN_HOSTS"`
}

const (
	maxLatency = time.Minute
	grace      = 5 * time.Second // for requests under way at the end

	usage = `usage: fakepay

A payment provider for tests and demos. Configuration by environment:
  FAKEPAY_LISTEN          address to listen on (127.0.0.1:9100)
  FAKEPAY_WEBHOOK_URL     where notices are sent, e.g. http://127.0.0.1:9000/webhooks/fakepay (none)
  FAKEPAY_WEBHOOK_SECRET  signs them; needed with FAKEPAY_WEBHOOK_URL
  FAKEPAY_LATENCY         every API call takes that long, e.g. 80ms; set, it stands instead of FAKEPAY_P99
  FAKEPAY_P99             calls take as long as real ones do: most a tenth of it, one in a hundred more (3s)
  FAKEPAY_DATA            file that keeps the payments over a restart (memory only)
  FAKEPAY_RETURN_HOSTS    comma list of host[:port] the card page may go back to, besides its own

Faults are switched at run time by POST /control.
`
)

func main() {
	if len(os.Args) > 1 {
		fmt.Fprint(os.Stderr, usage)
		if os.Args[1] == "help" || os.Args[1] == "-h" || os.Args[1] == "--help" {
			return
		}
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "fakepay:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	conf, err := load()
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	for _, name := range unknown(os.Environ()) {
		log.Warn("a variable that nothing reads: misspelt? `fakepay help` lists those there are", "name", name)
	}
	server, err := fakepay.New(fakepay.Options{
		WebhookURL: conf.WebhookURL, WebhookSecret: conf.WebhookSecret,
		Latency: conf.Latency, P99: conf.P99, DataFile: conf.Data, ReturnHosts: conf.ReturnHosts, Log: log,
	})
	if err != nil {
		return err
	}
	ln, err := net.Listen("tcp", conf.Listen)
	if err != nil {
		return errors.Join(fmt.Errorf("FAKEPAY_LISTEN: %w; choose a free address", err), server.Close())
	}
	log.Info("fakepay listens", "address", ln.Addr().String(), "webhooks", conf.WebhookURL, "data", conf.Data)
	h := &http.Server{Handler: server, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: 2 * time.Minute}
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(ln) }()
	select {
	case err = <-failed:
	case <-ctx.Done():
		end, cancel := context.WithTimeout(context.Background(), grace)
		defer cancel()
		if err = h.Shutdown(end); err != nil {
			err = h.Close() // a faulted request may hang for its whole delay: cut it
		}
		<-failed
	}
	return errors.Join(err, server.Close())
}

// unknown lists variables with our prefix that are not in the usage, which lists all.
func unknown(environ []string) (names []string) {
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "FAKEPAY_") && !strings.Contains(usage, "  "+name+" ") {
			names = append(names, name)
		}
	}
	return names
}

// load reads and checks the environment; an error names variable and cure.
func load() (config, error) {
	var c config
	if err := env.Parse(&c); err != nil {
		var all env.AggregateError
		if errors.As(err, &all) && len(all.Errors) > 0 {
			err = all.Errors[0]
		}
		var pe env.ParseError
		if errors.As(err, &pe) {
			return c, fmt.Errorf("FAKEPAY_%s: %v; want a duration such as 80ms", envName(pe.Name), pe.Err)
		}
		return c, fmt.Errorf("environment: %w", err)
	}
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		return c, fmt.Errorf("FAKEPAY_LISTEN: %q is not host:port, e.g. 127.0.0.1:9100", c.Listen)
	}
	if c.WebhookURL != "" {
		u, err := url.Parse(c.WebhookURL)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
			return c, fmt.Errorf("FAKEPAY_WEBHOOK_URL: %q is not an http address, e.g. http://127.0.0.1:9000/webhooks/fakepay", c.WebhookURL)
		}
		if c.WebhookSecret == "" {
			return c, errors.New("FAKEPAY_WEBHOOK_SECRET: not set; notices must be signed, choose any secret and give bookingd the same")
		}
	}
	if c.Latency < 0 || c.Latency > maxLatency {
		return c, fmt.Errorf("FAKEPAY_LATENCY: %v is not between 0 and %v", c.Latency, maxLatency)
	}
	if c.P99 < 0 || c.P99 > maxLatency {
		return c, fmt.Errorf("FAKEPAY_P99: %v is not between 0 and %v", c.P99, maxLatency)
	}
	if _, said := os.LookupEnv("FAKEPAY_LATENCY"); said {
		c.P99 = 0
	}
	return c, nil
}

// envName is the variable behind a field; only the durations can fail to parse.
func envName(field string) string {
	if field == "Latency" {
		return "LATENCY"
	}
	return field
}
