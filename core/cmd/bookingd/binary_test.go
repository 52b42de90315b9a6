package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/payment/fakepay"
	"github.com/ropeline/ropeline/core/pgtest"
)

const testSecret = "whsec_binary_test"

// startTimeout bounds the whole test's waiting; it is never a measure.
const startTimeout = 2 * time.Minute

// The program as an operator meets it: built, migrated, filled, served, ended.
func TestBinaryFromEmptyDatabaseToItsEnd(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	bin := filepath.Join(t.TempDir(), "bookingd")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	cluster := pgtest.Cluster(t)
	if err := cluster.CreateDatabase(ctx, "binary"); err != nil {
		t.Fatal(err)
	}
	pay := httptest.NewServer(mustFakepay(t))
	defer pay.Close()
	keys := t.TempDir()
	environ := append(os.Environ(),
		"BOOKINGD_DATABASE_URL="+cluster.URL(pgtest.AppRole, "binary"), "BOOKINGD_OWNER_DATABASE_URL="+cluster.OwnerURL("binary"),
		"BOOKINGD_LISTEN=127.0.0.1:0", "BOOKINGD_INTERNAL_LISTEN=127.0.0.1:0", "BOOKINGD_PASS=off", "BOOKINGD_DEV_ISSUER=on",
		"BOOKINGD_ISSUER_KEY_FILE="+filepath.Join(keys, "issuer.pem"), "BOOKINGD_TICKET_KEY_FILE="+filepath.Join(keys, "ticket.pem"),
		"BOOKINGD_FAKEPAY_URL="+pay.URL, "BOOKINGD_FAKEPAY_WEBHOOK_SECRETS="+testSecret)
	command := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, bin, args...)
		cmd.Env = environ
		out, err := cmd.CombinedOutput()
		return string(out), err
	}

	if out, err := command("serve"); err == nil || !strings.Contains(out, "run `bookingd migrate`") {
		t.Errorf("serve without a schema: %v\n%s", err, out)
	}
	if out, err := command("migrate"); err != nil || !strings.Contains(out, "applied 00001_catalogue.sql") {
		t.Fatalf("migrate: %v\n%s", err, out)
	}
	if out, err := command("migrate"); err != nil || !strings.Contains(out, "nothing to do") {
		t.Errorf("migrate again: %v\n%s", err, out)
	}
	data := "../../../deploy/demo/data/"
	bad := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(bad, []byte(`{"events": [{"slugg": 1}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := command("import", data+"bus.json", bad); err == nil || !strings.Contains(out, bad+`: line 1: events[0].slugg: is no field of this object; did you mean "slug"?`) {
		t.Errorf("import of a bad file: %v\n%s", err, out)
	}
	if out, err := command("import", data+"bus.json", data+"club.json"); err != nil || !strings.Contains(out, "event late-show: created (500 places)") ||
		!strings.Contains(out, "event bus-berlin-prague-2027-05-14: created") { // the bad file beside it had left nothing
		t.Fatalf("import: %v\n%s", err, out)
	}

	table := filepath.Join(t.TempDir(), "trips.csv")
	const head = "slug,title,organiser,place,from,to,starts_at,time_zone,currency,class,amount,counter,kind,capacity\n"
	for _, c := range [][2]string{
		{"coach-1,Coach,Lines,Bonn,Bonn,Ghent,2127-05-14T08:00,Europe/Berlin,EUR,saver,1900,Saver,class,20\n", "event coach-1: created (20 places)"},
		{"coach-1,Coach,Lines,Bonn,Bonn,Ghent,2127-05-14T08:00,Europe/Berlin,PLN,saver,1900,Saver,class,20\n", "trips.csv: line 2: currency: is PLN, but event \"coach-1\" is sold in EUR"},
		{"coach-1,Coach,Lines,Bonn,Bonn,Ghent,2127-05-14T08:00,Europe/Berlin,EUR,saver,19.5,Saver,class,20\n", "trips.csv: line 2: amount: is 19.5; write minor units without a comma or point, as in 4500 for 45.00 EUR"},
	} {
		if err := os.WriteFile(table, []byte(head+c[0]), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, _ := command("import", table); !strings.Contains(out, c[1]) {
			t.Errorf("import of a table: %s, want %s", out, c[1])
		}
	}
	if out, err := command("trace", "late-show", "7"); err != nil || !strings.Contains(out, "late-show, seat 7: ") || !strings.Contains(out, "nobody has ever held it") {
		t.Errorf("trace of a seat that nobody had: %v\n%s", err, out)
	}
	if out, err := command("trace", "late-show", "7000"); err == nil || !strings.Contains(out, `has no seat "7000"`) {
		t.Errorf("trace of no seat: %v\n%s", err, out)
	}

	if out, err := command("trace", "no-show", "7"); err == nil || !strings.Contains(out, `There is no event "no-show"`) {
		t.Errorf("trace of no event: %v\n%s", err, out)
	}

	for _, c := range [][]string{
		{"Saver: capacity 18 and 2 past it; 0 sold, 0 held, 20 available", "limit", "coach-1", "1", "18", "2", "a smaller coach"},
		{"everybody has a place", "denied", "coach-1", "1"},
		{"no such area or class", "denied", "coach-1", "5"},
		{"Say why the limit is changed", "limit", "coach-1", "1", "18", "2", ""},
		{"no such area or class", "limit", "coach-1", "9", "18", "2", "x"},
		{`"Saver" is not the number of an area or class`, "limit", "coach-1", "Saver", "18", "2", "x"},
		{`"all" is not a capacity`, "limit", "coach-1", "1", "all", "2", "x"},
		{"usage: bookingd limit", "limit", "coach-1", "1"},
		{"usage: bookingd", "denied", "coach-1"},
		{"coach-1 has no presale", "presale", "list", "coach-1"},
		{`event "coach-1" has no presale "Members"`, "presale", "list", "coach-1", "Members"},
		{"usage: bookingd", "presale", "coach-1"},
	} {
		if out, _ := command(c[1:]...); !strings.Contains(out, c[0]) {
			t.Errorf("%v: %s, want %s", c[1:], out, c[0])
		}
	}

	if err := os.WriteFile(table, []byte(head+"coach-1,Coach,Lines,Bonn,Bonn,Ghent,2127-05-14T08:00,Europe/Berlin,EUR,saver,1900,Saver,class,20\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const undone = `, "a smaller coach") is set back to 20 and 0`
	if out, err := command("import", table); err != nil || !strings.Contains(out, "Saver: capacity 18 and 2 past it (limit by ") || !strings.Contains(out, undone) {
		t.Errorf("import over a limit that was set: %v\n%s", err, out)
	}
	if err := os.WriteFile(table, []byte(head+"coach-1,Coach,Lines,Bonn,Bonn,Ghent,2127-05-14T08:00,Europe/Berlin,EUR,saver,1900,Saver,class,21\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := command("import", table); err != nil || strings.Contains(out, "set back") || !strings.Contains(out, "updated (21 places)") {
		t.Errorf("import over a limit of an import: %v\n%s", err, out)
	}

	if out, err := command("webhook", "list"); err != nil || !strings.Contains(out, "every notice was read") {
		t.Errorf("webhook list: %v\n%s", err, out)
	}
	if out, err := command("webhook", "resend", "fakepay", "evt_1"); err == nil || !strings.Contains(out, `No webhook "evt_1" of provider "fakepay" is stored`) {
		t.Errorf("webhook resend: %v\n%s", err, out)
	}

	for _, c := range []struct {
		args, want string
		fails      bool
	}{
		{"ledger verify", "the books agree", false}, {"ledger balance late-show", "currency", false}, {"ledger balance no-show", `There is no event "no-show"`, true},
		{"ledger statement Nobody", "No event is of this organiser", true}, {"ledger statement Nobody -from May", `"May" is no day`, true},
		{"ledger payout late-show 1.00 bank-1", "is owed 0.00", true}, {"ledger payout late-show 1 bank-1", "want a sum above zero like 12345.00, with exactly 2 digits after the point (EUR)", true},
		{"ledger statement Nobody -from 2027-03-02 -until 2027-03-01", "is not before until", true}, {"reconcile -from 2027-03-02 -until 2027-03-01", "is not before until", true}, {"reconcile -from 2999-01-01", "has not begun", true},
		{"payments off fakepya -why drill", `there is no provider "fakepya"; those of this environment: fakepay`, true},
		{"ledger", "usage", true}, {"event cancel late-show", "is not cancelled. Cancelling it ends 0 orders", false},
		{"event cancel late-show -amount 1.00 -why rain", "not the one you confirmed", true}, {"event cancel late-show -amount", "wants a value", true},
		{"reconcile", "0 rows (0 new), 0 payments compared", false}, {"breaks", "nothing is open", false}, {"breaks close 7 -why x", "no open break of this number", true},
		{"payments", "fakepay: on", false}, {"payments off fakepay", "Say why", true}, {"payments off fakepay -why drill", "fakepay: off (by_staff)", false},
		{"payments on fakepay -why over", "fakepay: on since", false}, {"event cancel coach-1 -amount 0.00 -why rain", "was cancelled by", false},
		{"event report coach-1", "running", false},
	} {
		out, err := command(strings.Fields(c.args)...)
		if (err != nil) != c.fails || !strings.Contains(out, c.want) {
			t.Errorf("%s: %v\n%s\nwant %q", c.args, err, out, c.want)
		}
	}
	cmd := exec.CommandContext(ctx, bin, "serve")
	cmd.Env = environ
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	log := bufio.NewScanner(stderr)
	public, internal := addresses(t, log)

	for url, want := range map[string]string{
		"http://" + public + "/healthz":                   `{"status":"ok"}`,
		"http://" + internal + "/readyz":                  `{"status":"ok"}`,
		"http://" + internal + "/metrics":                 "ropeline_booking_audits_total",
		"http://" + internal + "/telemetry":               `"payment":{"busy_seconds":`,
		"http://" + public + "/v1/events?q=late+show":     `"id":"late-show"`,
		"http://" + public + "/":                          "The Late Show",
		"http://" + public + "/sign-in?return=%2Ftickets": `value="/tickets"`,
		"http://" + public + "/openapi.json":              `"operationId":"hold"`,
	} {
		status, body := get(t, ctx, url)
		if status != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: %d, want %q in:\n%.500s", url, status, want, body)
		}
	}
	if status, _ := get(t, ctx, "http://"+public+"/metrics"); status == http.StatusOK {
		t.Error("the public listener shows metrics")
	}
	if status, _ := get(t, ctx, "http://"+public+"/telemetry"); status == http.StatusOK {
		t.Error("the public listener shows telemetry")
	}

	// A client that keeps its connection open must not hold the end up.
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	var last string
	for log.Scan() {
		last = log.Text()
		if strings.Contains(last, `"level":"ERROR"`) {
			t.Error(last)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
	if !strings.Contains(last, `"msg":"ended"`) {
		t.Errorf("last line %q, want the orderly end", last)
	}
	if n := sessions(t, ctx, cluster.OwnerURL("binary")); n != 0 {
		t.Errorf("%d database sessions left behind", n)
	}
}

func mustFakepay(t *testing.T) http.Handler {
	t.Helper()
	s, err := fakepay.New(fakepay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// addresses waits for the line that says where the program listens.
func addresses(t *testing.T, log *bufio.Scanner) (public, internal string) {
	t.Helper()
	for log.Scan() {
		var line struct{ Msg, Listen, Internal string }
		if err := json.Unmarshal(log.Bytes(), &line); err != nil {
			t.Fatalf("log line is no JSON: %s", log.Text())
		}
		if line.Msg == "serving" {
			return line.Listen, line.Internal
		}
	}
	t.Fatalf("the program ended before it served: %v", log.Err())
	return "", ""
}

func get(t *testing.T, ctx context.Context, url string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func sessions(t *testing.T, ctx context.Context, url string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if err := conn.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity WHERE datname = 'binary' AND pid <> pg_backend_pid() AND backend_type = 'client backend'`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
