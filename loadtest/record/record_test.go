package record

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEveryRequestIsRecordedAndForwardedUnchanged(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Seen", r.Host+" "+r.URL.RequestURI()+" "+r.Header.Get(PassHeader)+" "+r.Header.Get("X-Forwarded-For")+" "+string(body))
		w.WriteHeader(http.StatusTeapot)
	}))
	defer origin.Close()
	path := filepath.Join(t.TempDir(), "record.jsonl")
	s, err := Start("127.0.0.1:0", origin.URL, path)
	if err != nil {
		t.Fatal(err)
	}

	req, _ := http.NewRequest("POST", "http://"+s.Addr()+"/v1/holds?a=%2F", strings.NewReader("body"))
	req.Host = "tickets.example"
	req.Header.Set(PassHeader, "jwt")
	req.Header.Set("X-Forwarded-For", "192.0.2.7")
	client := &http.Client{Transport: &http.Transport{}}
	answer, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if got, want := answer.Header.Get("Seen"), "tickets.example /v1/holds?a=%2F jwt 192.0.2.7 body"; got != want {
		t.Errorf("the origin saw %q, want %q", got, want)
	}
	origin.Close()
	if answer, err = client.Get("http://" + s.Addr() + "/gone"); err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	client.CloseIdleConnections()
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}

	all, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 2 {
		t.Fatalf("%d requests recorded, want 2", len(all))
	}
	if r := all[0]; r.Method != "POST" || r.Path != "/v1/holds" || r.Pass != "jwt" || r.Status != http.StatusTeapot || r.At.IsZero() {
		t.Errorf("recorded %+v", r)
	}
	if r := all[1]; r.Pass != "" || r.Status != http.StatusBadGateway {
		t.Errorf("a dead origin was recorded as %+v", r)
	}
}

func TestAnOriginThatIsNoAddressIsRefused(t *testing.T) {
	_, err := Start("127.0.0.1:0", "localhost", filepath.Join(t.TempDir(), "r"))
	if err == nil || !strings.Contains(err.Error(), "http://127.0.0.1:9000") {
		t.Fatalf("%v, want the cure", err)
	}
}
