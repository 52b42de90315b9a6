package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/ropeline/ropeline/core/payment/fakepay"
	"github.com/ropeline/ropeline/deploy/stack"
)

const webhookSecret = "whsec_bench"

// till is a bookingd of its own process and the provider it speaks to, which runs here and
// outlives its deaths.
type till struct {
	dir, bin, database string
	address, internal  string
	bank               *fakepay.Server
	bankURL            string
	child              *stack.Child
	listener           *http.Server
	starts             int
}

// openTill starts both.
func openTill(ctx context.Context, s *server) (*till, error) {
	root, err := stack.Repository()
	if err != nil {
		return nil, err
	}
	t := &till{bin: filepath.Join(root, ".run", "bin"), database: s.url}
	if err := stack.Build(ctx, stack.Progress{W: os.Stderr}, root, t.bin, "./core/cmd/bookingd"); err != nil {
		return nil, err
	}
	if t.dir, err = os.MkdirTemp("", "ropeline-bench-"); err != nil {
		return nil, err
	}
	ports, err := stack.FreePorts(2)
	if err != nil {
		return nil, err
	}
	t.address, t.internal = fmt.Sprintf("127.0.0.1:%d", ports[0]), fmt.Sprintf("127.0.0.1:%d", ports[1])
	if t.bank, err = fakepay.New(fakepay.Options{WebhookURL: "http://" + t.address + "/webhooks/fakepay", WebhookSecret: webhookSecret}); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	t.bankURL, t.listener = "http://"+l.Addr().String(), &http.Server{Handler: t.bank}
	go func() { _ = t.listener.Serve(l) }()
	return t, t.start(ctx)
}

func (t *till) start(ctx context.Context) (err error) {
	t.starts++
	t.child, err = stack.Start(t.dir, stack.Spec{
		Name: fmt.Sprintf("bookingd-%d", t.starts), Path: filepath.Join(t.bin, "bookingd"), Args: []string{"serve"},
		Env: []string{
			"BOOKINGD_LISTEN=" + t.address, "BOOKINGD_INTERNAL_LISTEN=" + t.internal, "BOOKINGD_DATABASE_URL=" + t.database,
			"BOOKINGD_PASS=off", "BOOKINGD_DEV_ISSUER=on", "BOOKINGD_ISSUER_KEY_FILE=" + filepath.Join(t.dir, "issuer.pem"),
			"BOOKINGD_TICKET_KEY_FILE=" + filepath.Join(t.dir, "ticket.pem"),
			"BOOKINGD_FAKEPAY_URL=" + t.bankURL, "BOOKINGD_FAKEPAY_WEBHOOK_SECRETS=" + webhookSecret,
		},
	})
	if err != nil {
		return err
	}
	return stack.Await(ctx, t.child, stack.Answers("http://"+t.internal+"/readyz"))
}

func (t *till) close() {
	if t.child != nil {
		_ = t.child.Stop()
	}
	if t.listener != nil {
		_ = t.listener.Close()
	}
	if t.bank != nil {
		_ = t.bank.Close()
	}
	_ = os.RemoveAll(t.dir)
}

// client is this process's way to the same provider.
func (t *till) client() (*fakepay.Client, error) {
	return fakepay.NewClient(fakepay.ClientConfig{URL: t.bankURL, PublicURL: "/fakepay", Secrets: []string{webhookSecret}})
}

// within polls until ok, or fails after d.
func within(ctx context.Context, d time.Duration, what string, ok func() (bool, error)) error {
	for end := time.Now().Add(d); ; {
		done, err := ok()
		if done || err != nil {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s: not within %s", what, d)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}
