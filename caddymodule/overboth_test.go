package caddymodule

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// over is a version of HTTP that visitors speak, on TLS as they do in the world.
type over struct {
	name string
	h2   bool
}

// overBoth runs a test of the rows of a case file once by HTTP/1.1 and once by HTTP/2.
func overBoth(t *testing.T, f func(t *testing.T, o over)) {
	t.Helper()
	for _, o := range []over{{"h1", false}, {"h2", true}} {
		t.Run(o.name, func(t *testing.T) { f(t, o) })
	}
}

// edge starts an edge that this version is spoken with. Replacements are pairs of text in its Caddyfile.
func (o over) edge(t *testing.T, room, store string, replace ...string) *edge {
	t.Helper()
	return startEdge(t, room, store, func(e *edge) { e.h2, e.tls, e.replace = o.h2, true, replace })
}

// base is the address of the edge as its visitors write it.
func (e *edge) base() string {
	if e.tls {
		return "https://edge.test"
	}
	return "http://edge.test"
}

// named is a cookie of ours as this edge's visitors send it.
func (e *edge) named(part, value string) string {
	if e.tls {
		part = hostPrefix + part
	}
	return part + "main=" + value
}

// onTLS is the site's part of a Caddyfile that serves a certificate of the test's own.
func (e *edge) onTLS() string {
	cert, key := filepath.Join(e.dir, "cert.pem"), filepath.Join(e.dir, "key.pem")
	if _, err := os.Stat(cert); err != nil {
		writeCertificate(e.t, cert, key, nil, nil)
	}
	return fmt.Sprintf("tls %s %s", cert, key)
}

// writeCertificate makes one for every name a test uses, signed by the parent or by itself.
func writeCertificate(t *testing.T, certFile, keyFile string, parent *x509.Certificate, parentKey *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	serial, _ := rand.Int(rand.Reader, big.NewInt(1<<62))
	c := &x509.Certificate{SerialNumber: serial, Subject: pkix.Name{CommonName: "ropeline test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, BasicConstraintsValid: true,
		DNSNames: []string{"edge.test", "*.edge.test", "shop.example.com", "pay.example.com", "shop.example.co.uk"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	if parent == nil {
		c.IsCA, c.KeyUsage = true, c.KeyUsage|x509.KeyUsageCertSign
		parent, parentKey = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, parentKey)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "EC PRIVATE KEY", Bytes: keyDER}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	made, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return made, key
}

// clientTLS trusts nobody in particular: what is tested here is not the certificate.
func clientTLS(protocols ...string) *tls.Config {
	return &tls.Config{InsecureSkipVerify: true, NextProtos: protocols, ServerName: "edge.test"}
}

// dial opens a connection to the edge as a visitor does: plain, or by TLS with the protocol that is asked for.
func (e *edge) dial(protocol string) net.Conn {
	e.t.Helper()
	c, err := net.Dial(e.network, e.addr)
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() { c.Close() })
	_ = c.SetDeadline(time.Now().Add(patience))
	if !e.tls {
		return c
	}
	s := tls.Client(c, clientTLS(protocol))
	if err := s.Handshake(); err != nil {
		e.t.Fatal(err)
	}
	return s
}

// The harness speaks what it says, and the origin is asked by either.
func TestTheHarnessSpeaksBothVersions(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		e := o.edge(t, roomWith("rate 1000/s"), "")
		v := e.visitor()
		r := v.navigate("/x").want(t, 503)
		if want := map[bool]string{false: "HTTP/1.1", true: "HTTP/2.0"}[o.h2]; r.Proto != want || r.TLS == nil {
			t.Fatalf("%s, TLS %v", r.Proto, r.TLS != nil)
		}
		if c := r.Header.Get("Set-Cookie"); !strings.HasPrefix(c, "__Host-rl-t-main=") || !strings.Contains(c, "; Secure") {
			t.Errorf("cookie %q", c)
		}
		v.enter("/x")
		v.navigate("/x").want(t, 200)
		if n := len(e.origin.requests()); n != 1 {
			t.Errorf("the origin saw %d requests", n)
		}
	})
}
