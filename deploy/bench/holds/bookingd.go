package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/core/api/issuer"
	"github.com/ropeline/ropeline/deploy/stack"
)

const (
	room     = "boxoffice"
	people   = 4_000           // accounts that buy through HTTP, with a token and a pass each
	passLife = 4 * time.Minute // passes live five minutes at most
)

// person is a buyer's part of a request's head.
type person struct{ headers string }

// counter is the shop as a process, or as several, with the key set that an edge would publish.
type counter struct {
	dir, bin, database string
	ring               *admission.Keyring
	accounts           *issuer.Issuer
	jwks               *http.Server
	jwksURL            string
	children           []*stack.Child
}

func newCounter(dir, bin, database string) (*counter, error) {
	since := time.Now().Add(-time.Hour)
	ring, err := admission.NewKeyring(admission.NewKey(admission.UseTicket, admission.AlgHS256, since),
		admission.NewKey(admission.UsePass, admission.AlgEdDSA, since), admission.NewKey(admission.UseDraw, admission.AlgHS256, since))
	if err != nil {
		return nil, err
	}
	accounts, err := issuer.Load(filepath.Join(dir, "issuer.pem"), true)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	c := &counter{dir: dir, bin: bin, database: database, ring: ring, accounts: accounts, jwksURL: "http://" + l.Addr().String()}
	c.jwks = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(ring.JWKS(time.Now())) })}
	go func() { _ = c.jwks.Serve(l) }()
	return c, nil
}

// start runs one more bookingd and returns its address.
func (c *counter) start(ctx context.Context) (address string, err error) {
	ports, err := stack.FreePorts(2)
	if err != nil {
		return "", err
	}
	address, internal := fmt.Sprintf("127.0.0.1:%d", ports[0]), fmt.Sprintf("127.0.0.1:%d", ports[1])
	child, err := stack.Start(c.dir, stack.Spec{
		Name: fmt.Sprintf("bookingd-%d", len(c.children)+1), Path: filepath.Join(c.bin, "bookingd"), Args: []string{"serve"},
		Env: []string{
			"BOOKINGD_LISTEN=" + address, "BOOKINGD_INTERNAL_LISTEN=" + internal, "BOOKINGD_DATABASE_URL=" + c.database,
			"BOOKINGD_PASS=required", "BOOKINGD_PASS_ROOM=" + room, "BOOKINGD_PASS_JWKS_URL=" + c.jwksURL,
			"BOOKINGD_DEV_ISSUER=on", "BOOKINGD_ISSUER_KEY_FILE=" + filepath.Join(c.dir, "issuer.pem"),
			"BOOKINGD_HOLDS_PER_MINUTE=off", "BOOKINGD_TICKET_KEY_FILE=" + filepath.Join(c.dir, "ticket.pem"), "BOOKINGD_FAKEPAY_WEBHOOK_SECRETS=whsec_bench",
		},
	})
	if err != nil {
		return "", err
	}
	c.children = append(c.children, child)
	return address, stack.Await(ctx, child, stack.Answers("http://"+internal+"/readyz"))
}

func (c *counter) stopChildren() {
	for _, child := range c.children {
		_ = child.Stop()
	}
	c.children = nil
}

func (c *counter) stop() {
	c.stopChildren()
	_ = c.jwks.Close()
}

// crowd signs in and lets in everybody anew: a pass is valid for less long than all the measuring takes. Each buyer
// comes from a network of their own, as the proxy in front would write it down.
func (c *counter) crowd() ([]*person, error) {
	now := time.Now()
	all := make([]*person, people)
	for i := range all {
		token, err := c.accounts.Sign(fmt.Sprintf("buyer-%d@example.com", i), now)
		if err != nil {
			return nil, err
		}
		pass, err := c.ring.SignPass(admission.Pass{Room: room, VID: admission.NewVID(), Epoch: 1, Term: 1, Place: int64(i), IssuedAt: now,
			NotBefore: now.Add(-time.Second), Expires: now.Add(passLife), Hard: now.Add(time.Hour)})
		if err != nil {
			return nil, err
		}
		all[i] = &person{fmt.Sprintf("Authorization: Bearer %s\r\nRopeline-Pass: %s\r\nX-Forwarded-For: 10.%d.%d.7\r\n", token, pass, i>>8, i&255)}
	}
	return all, nil
}
