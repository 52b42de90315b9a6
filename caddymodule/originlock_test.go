package caddymodule

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ropeline/ropeline/admission"
)

// AH1, AH3: the origin is shown a secret that no visitor can send or see, on every request that is passed on; it is
// changed without a reload and without a request refused.
func TestTheOriginSecret(t *testing.T) {
	const first, second = "0123456789abcdef-first", "0123456789abcdef-second"
	file := filepath.Join(t.TempDir(), "secret")
	write := func(s string) {
		if err := os.WriteFile(file, []byte(s+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(first)
	overBoth(t, func(t *testing.T, o over) {
		write(first)
		e := o.edge(t, roomWith("rate 1000/s", "beside assets", "origin_secret "+file), "")
		old, err := admission.NewOriginLock(first)
		if err != nil {
			t.Fatal(err)
		}
		both, err := admission.NewOriginLock(first, second)
		if err != nil {
			t.Fatal(err)
		}
		lock := old
		e.origin.answerWith(func(w http.ResponseWriter, r *http.Request) {
			if !lock.Opens(r) {
				w.WriteHeader(http.StatusForbidden)
			}
			w.Header().Set(admission.OriginSecretHeader, r.Header.Get(admission.OriginSecretHeader))
		})
		v := e.visitor()
		if r := v.do("GET", "/assets/a.css", admission.OriginSecretHeader, "0123456789abcdef-forged").want(t, 200); r.Header.Get(admission.OriginSecretHeader) != "" {
			t.Error("a visitor sees the secret")
		}
		v.navigate("/")
		v.enter("/")
		v.navigate("/").want(t, 200)
		direct, err := http.Get(e.origin.URL)
		if err != nil {
			t.Fatal(err)
		}
		if direct.Body.Close(); direct.StatusCode != http.StatusForbidden {
			t.Errorf("around the edge: %d", direct.StatusCode)
		}
		lock = both // the origin first, then the edges
		write("too short")
		e.room().rereadSecret()
		v.navigate("/").want(t, 200)
		write(second)
		e.until("changed", func() bool { return *e.room().secret.Load() == second })
		v.navigate("/").want(t, 200)
		if lock, err = admission.NewOriginLock(second); err != nil {
			t.Fatal(err)
		}
		v.navigate("/").want(t, 200)
	})
	if _, err := originSecret(filepath.Join(t.TempDir(), "none")); err == nil || !strings.Contains(err.Error(), "openssl rand") {
		t.Errorf("a missing file: %v", err)
	}
}

// An origin that wants a certificate of its clients gets the edge's, and serves nobody else.
func TestTheOriginByMutualTLS(t *testing.T) {
	overBoth(t, func(t *testing.T, o over) {
		dir := t.TempDir()
		file := func(name string) string { return filepath.Join(dir, name) }
		ca, caKey := writeCertificate(t, file("ca.pem"), file("ca.key"), nil, nil)
		writeCertificate(t, file("edge.pem"), file("edge.key"), ca, caKey)
		writeCertificate(t, file("origin.pem"), file("origin.key"), ca, caKey)
		trusted := x509.NewCertPool()
		trusted.AddCert(ca)
		cert, err := tls.LoadX509KeyPair(file("origin.pem"), file("origin.key"))
		if err != nil {
			t.Fatal(err)
		}
		closed := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		closed.TLS = &tls.Config{Certificates: []tls.Certificate{cert}, ClientCAs: trusted, ClientAuth: tls.RequireAndVerifyClientCert}
		closed.Config.ErrorLog = nil
		closed.StartTLS()
		defer closed.Close()
		stranger := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}}}
		if resp, err := stranger.Get(closed.URL); err == nil {
			resp.Body.Close()
			t.Fatal("a client without a certificate was served")
		}
		e := o.edge(t, roomWith("rate 1000/s")+"\nreverse_proxy https://"+closed.Listener.Addr().String()+" {\ntransport http {\ntls_client_auth "+
			file("edge.pem")+" "+file("edge.key")+"\ntls_trust_pool file "+file("ca.pem")+"\n}\n}", "")
		v := e.visitor()
		v.navigate("/")
		v.enter("/")
		v.navigate("/").want(t, 200)
	})
}
