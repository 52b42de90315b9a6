package ladder

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"
)

func TestAnOriginThatIsNotThereIsNamedAtOnce(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	climb, err := Run(context.Background(), Config{Origin: "http://" + addr, Visit: Look("/")})
	if err == nil || len(climb.Steps) > 0 || !strings.Contains(err.Error(), addr+" does not answer (connection refused)") {
		t.Errorf("%v, %d steps", err, len(climb.Steps))
	}
}

func TestAPlanSaysHowLongItTakes(t *testing.T) {
	c := Config{Origin: "http://127.0.0.1:1", Visit: Look("/"), Factor: 2}
	if s, err := c.Plan(); err != nil || !strings.HasPrefix(s, "steps of 30s, each 2 times the one before; 16 people/s after 2m30s; 128 people/s after 4m0s; ") {
		t.Error(s, err)
	}
	c.Most, c.Step = 4, 10*time.Second
	if s, err := c.Plan(); err != nil || s != "steps of 10s, each 2 times the one before; at most 1m0s" {
		t.Error(s, err)
	}
	c.Factor = 1
	if _, err := c.Plan(); err == nil {
		t.Error("a factor of 1 never ends")
	}
}
