package ladder

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"
)

// answers tells an origin that is not there from one that is too slow: a step later everything would have failed alike.
func (c *Config) answers(ctx context.Context) error {
	u, err := url.Parse(c.Origin)
	if err != nil {
		return err
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	conn, err := (&net.Dialer{Timeout: patience}).DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	switch {
	case ctx.Err() != nil: // somebody stopped the climb: that says nothing about the origin
		if err == nil {
			_ = conn.Close()
		}
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("origin %s does not answer (%s): start it, or name another address", c.Origin, cause(err))
	}
	return conn.Close()
}

// Plan says how long the climb takes. Nobody knows where the origin breaks, so it tells when which rate is reached.
func (c Config) Plan() (string, error) {
	if err := c.check(); err != nil {
		return "", err
	}
	steps, marks := 0, []string{}
	for rate, mark := c.From, max(10, 10*c.From); ; rate = min(c.Most, rate*c.Factor) {
		steps++
		if rate >= mark && len(marks) < 3 && rate < c.Most {
			marks, mark = append(marks, fmt.Sprintf("%.3g people/s after %s", rate, c.lasts(steps))), mark*10
		}
		if rate >= c.Most || steps == mostSteps {
			break
		}
	}
	steps = min(mostSteps, steps+bisects)
	return strings.Join(append([]string{fmt.Sprintf("steps of %s, each %g times the one before", c.Step, c.Factor)}, append(marks, "at most "+c.lasts(steps).String())...), "; "), nil
}

func (c Config) lasts(steps int) time.Duration { return time.Duration(steps) * c.Step }
