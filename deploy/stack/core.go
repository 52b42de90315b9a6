package stack

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// webhookSecret signs the messages of a provider that moves no money.
const webhookSecret = "whsec_of_the_demo_provider"

// startFakepay runs the test provider. Its file keeps the payments over a restart, as a real provider would.
func (s *Stack) startFakepay(ctx context.Context) error {
	c, err := Start(s.logs(), Spec{
		Name: "fakepay", Path: s.program("fakepay"),
		Env: append([]string{
			"FAKEPAY_LISTEN=" + loopback(s.ports.fakepay),
			"FAKEPAY_WEBHOOK_URL=" + s.EdgeURL() + "/webhooks/fakepay",
			"FAKEPAY_WEBHOOK_SECRET=" + webhookSecret,
			"FAKEPAY_LATENCY=80ms",
			"FAKEPAY_DATA=" + s.path("fakepay.jsonl"),
		}, s.cfg.FakepayEnv...),
	})
	if err != nil {
		return err
	}
	s.fakepay = c
	return Await(ctx, c, Listens(loopback(s.ports.fakepay)))
}

// bookingdEnv is the whole configuration of bookingd, for each of its commands.
func (s *Stack) bookingdEnv() []string {
	return append([]string{
		"BOOKINGD_LISTEN=" + loopback(s.ports.booking),
		"BOOKINGD_INTERNAL_LISTEN=" + loopback(s.ports.internal),
		"BOOKINGD_DATABASE_URL=" + s.served,
		"BOOKINGD_OWNER_DATABASE_URL=" + s.OwnerURL,
		"BOOKINGD_PASS_ROOM=" + Room,
		"BOOKINGD_PASS_JWKS_URL=" + s.EdgeURL() + "/.well-known/ropeline/" + Room + "/jwks.json",
		"BOOKINGD_PASS=required",
		"BOOKINGD_DEV_ISSUER=on",
		"BOOKINGD_ISSUER_KEY_FILE=" + s.path("keys", "issuer.pem"),
		"BOOKINGD_TICKET_KEY_FILE=" + s.path("keys", "ticket.pem"),
		"BOOKINGD_FAKEPAY_URL=" + s.FakepayURL(),
		"BOOKINGD_FAKEPAY_PUBLIC_URL=/fakepay",
		"BOOKINGD_FAKEPAY_WEBHOOK_SECRETS=" + webhookSecret,
		"BOOKINGD_TRUSTED_PROXIES=127.0.0.0/8",
	}, s.cfg.BookingEnv...)
}

// bookingdOnce runs one of bookingd's commands to its end and returns what it printed: the line, or how many there were and
// the last.
func (s *Stack) bookingdOnce(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, s.program("bookingd"), args...)
	cmd.Env = append(os.Environ(), s.bookingdEnv()...)
	out, err := cmd.CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil {
		return "", fmt.Errorf("bookingd %s: %w\n%s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	if n := len(lines); n > 1 {
		return fmt.Sprintf("%d steps, the last: %s", n, lines[n-1]), nil
	}
	return lines[0], nil
}

// StartBookingd starts the server, also again after Kill: a test that kills it says itself when it comes back.
func (s *Stack) StartBookingd(ctx context.Context) error {
	c, err := Start(s.logs(), Spec{Name: "bookingd", Path: s.program("bookingd"), Args: []string{"serve"}, Env: s.bookingdEnv()})
	if err != nil {
		return err
	}
	s.bookingd = c
	return Await(ctx, c, Answers(s.InternalURL()+"/readyz"))
}

// Bookingd is the running server.
func (s *Stack) Bookingd() *Child { return s.bookingd }

func (s *Stack) program(name string) string { return filepath.Join(s.cfg.Bin, name) }

func (s *Stack) path(elem ...string) string {
	return filepath.Join(append([]string{s.cfg.Dir}, elem...)...)
}

func (s *Stack) logs() string { return s.path("log") }
