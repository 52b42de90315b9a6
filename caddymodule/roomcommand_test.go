package caddymodule

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// operate runs `ropeline room ...` against the running edge and returns what it prints.
func (e *edge) operate(o operator, run func(*operator) error) (string, error) {
	e.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		e.t.Fatal(err)
	}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := serveAdmin(w, r); err != nil { // as Caddy's admin endpoint answers an APIError
			w.WriteHeader(apiStatus(err))
			_ = json.NewEncoder(w).Encode(map[string]string{"error": err.Error()})
		}
	})}
	go func() { _ = srv.Serve(l) }()
	defer srv.Close()
	var out bytes.Buffer
	o.Address, o.out = l.Addr().String(), &out
	if o.Limit == 0 {
		o.Limit = maxRooms
	}
	err = run(&o)
	return out.String(), err
}

func (e *edge) auditRecords() []auditRecord {
	e.t.Helper()
	f, err := os.Open(filepath.Join(e.dir, "rooms", auditName))
	if err != nil {
		e.t.Fatal(err)
	}
	defer f.Close()
	var out []auditRecord
	for s := bufio.NewScanner(f); s.Scan(); {
		var rec auditRecord
		if err := json.Unmarshal(s.Bytes(), &rec); err != nil {
			e.t.Fatalf("%v: %s", err, s.Text())
		}
		out = append(out, rec)
	}
	return out
}

// An operator steers a room from the command line, and every change is written down with who, why, before and after.
func TestRoomCommands(t *testing.T) {
	e := newEdge(t, roomWith("rate 1/h", "cap 7", `message "Soon"`), "")
	e.until("known", func() bool { return known(e.snapshot()) })
	v := e.visitor()
	v.navigate("/").want(t, 503)
	say := func(o operator, action, member string, args ...string) string {
		t.Helper()
		out, err := e.operate(o, func(o *operator) error { return o.change(action, member, append([]string{"main"}, args...)) })
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, rate := range []string{"20/s", "2000/min", "1000/10s"} {
		if out := say(operator{Who: "ann", Why: "test"}, "rate", "rate", rate); !strings.Contains(out, rate) {
			t.Errorf("after rate %s:\n%s", rate, out)
		}
	}
	say(operator{}, "cap", "cap", "9")
	say(operator{Who: "bob"}, "pause", "")
	if out := say(operator{Who: "bob"}, "message", "message", "Back <at> eight"); !strings.Contains(out, "Back <at> eight") || !strings.Contains(out, "paused") {
		t.Errorf("status:\n%s", out)
	}
	if page := v.navigate("/"); !strings.Contains(page.body, "Back &lt;at&gt; eight") || strings.Contains(page.body, ">Soon<") {
		t.Error("the operator's message is not on the page")
	}
	// It outlives a reload of the same file, and goes when the file says something new.
	for file, want := range map[string]string{"Soon": "Back <at> eight", "New": "New"} {
		if file == "New" {
			continue
		}
		if err := e.load(roomWith("rate 1/h", "cap 7", `message "`+file+`"`)); err != nil {
			t.Fatal(err)
		}
		if got := e.room().message(); got != want {
			t.Errorf("the file says %q: message %q, want %q", file, got, want)
		}
	}
	if err := e.load(roomWith("rate 1/h", "cap 7", `message "New"`)); err != nil {
		t.Fatal(err)
	}
	if got := e.room().message(); got != "New" {
		t.Errorf("message %q", got)
	}
	var seen []string
	for _, r := range e.auditRecords() {
		if r.Room != "main" || r.T == "" || r.Epoch == 0 {
			t.Errorf("record %+v", r)
		}
		seen = append(seen, strings.Join([]string{r.Who, r.What, r.Before, r.After, r.Why}, "|"))
	}
	all := strings.Join(seen, "\n")
	for _, want := range []string{"ann|rate|1/h|20/s|test", "ann|rate|20/s|2000/min|test", thisUser() + "|cap|7|9|", "bob|state|open|paused|",
		"bob|message|Soon|Back <at> eight|", "configuration file|message|Soon|New|"} {
		if !strings.Contains(all, want) {
			t.Errorf("not in the audit log: %s\n%s", want, all)
		}
	}
	if out, err := e.operate(operator{}, (*operator).list); err != nil || !strings.Contains(out, "main") || !strings.Contains(out, "paused") {
		t.Errorf("list: %v\n%s", err, out)
	}
	for what, run := range map[string]func(o *operator) error{
		"no room":    func(o *operator) error { return o.status("none") },
		"20/s":       func(o *operator) error { return o.change("rate", "rate", []string{"main", "fast"}) },
		"--address":  func(o *operator) error { o.Address = "127.0.0.1:1"; return o.status("main") },
		"for \"1x\"": func(o *operator) error { o.For = "1x"; return o.change("pause", "", []string{"main"}) },
		"taken back": func(o *operator) error { o.For = "1m"; return o.change("close", "", []string{"main"}) },
		"names none": func(o *operator) error { return o.change("entropy", "entropy", []string{"main", "x"}) },
	} {
		if _, err := e.operate(operator{}, run); err == nil || !strings.Contains(err.Error(), what) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// The status has one row for each thing, and says there until when it holds.
func TestStatusSaysOnceUntilWhen(t *testing.T) {
	e := newEdge(t, roomWith("rate 5/s", "cap 7"), "")
	e.until("known", func() bool { return known(e.snapshot()) })
	e.admin("rate", `{"rate":"9/s","for":"10m"}`)
	e.admin("cap", `{"cap":8,"for":"10m"}`)
	e.admin("pause", `{"for":"10m"}`)
	e.admin("message", `{"message":"x","for":"20m"}`)
	out, err := e.operate(operator{}, func(o *operator) error { return o.status("main") })
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for _, row := range strings.Split(strings.TrimSpace(out), "\n") {
		name, rest, _ := strings.Cut(row, " ")
		if _, twice := rows[name]; twice {
			t.Errorf("%s stands twice:\n%s", name, out)
		}
		rows[name] = strings.TrimSpace(rest)
	}
	for name, want := range map[string][2]string{"rate": {"9/s until ", ", then 5/s"}, "inside": {"0 of 8 until ", ", then 7"}, "state": {"paused until ", ", then open"}, "message": {"x until ", ", then none"}} {
		if got := rows[name]; !strings.HasPrefix(got, want[0]) || !strings.HasSuffix(got, want[1]) {
			t.Errorf("%s %s", name, got)
		}
	}
}

// A value that no draw waits for is refused with the reason, and not with "in a moment".
func TestEntropyBeforeItsTime(t *testing.T) {
	e := newEdge(t, roomWith("rate 0", "state prequeue", `entropy_source "numbers of Sunday"`), "")
	e.until("known", func() bool { return known(e.snapshot()) })
	_, err := e.operate(operator{}, func(o *operator) error { return o.change("entropy", "entropy", []string{"main", "4 8"}) })
	if err == nil || !strings.Contains(err.Error(), "the pre-queue has not ended") || strings.Contains(err.Error(), "in a moment") {
		t.Errorf("%v", err)
	}
}

// A change with an end is taken back at its time, unless somebody has decided otherwise since.
func TestChangesExpire(t *testing.T) {
	e := newEdge(t, roomWith("rate 5/s", "cap 7"), "")
	e.until("known", func() bool { return known(e.snapshot()) })
	e.admin("rate", `{"rate":"9/s","for":"10m","who":"ann"}`)
	e.admin("cap", `{"cap":8,"for":"10m"}`)
	e.admin("cap", `{"cap":9}`) // stands: it was said later, without an end
	e.admin("pause", `{"for":"10m"}`)
	e.admin("message", `{"message":"x","for":"20m"}`)
	r := e.room()
	ctx := t.Context()
	r.scheduleStep(ctx, r.now().Add(9*time.Minute))
	if s := e.snapshot(); s.Settings.Rate.String() != "9/s" || s.State != "paused" {
		t.Fatalf("taken back too early: %+v", s.Settings)
	}
	again, err := loadKept(filepath.Join(e.dir, "rooms", "main")) // as after a restart
	if err != nil || len(again.expiring()) != 3 {
		t.Errorf("on disk: %+v %v", again.expiring(), err)
	}
	r.scheduleStep(ctx, r.now().Add(11*time.Minute))
	if s := e.snapshot(); s.Settings.Rate.String() != "5/s" || s.Settings.Cap != 9 || s.State != "open" || r.message() != "x" {
		t.Errorf("after the end: %+v %s %q", s.Settings, s.State, r.message())
	}
	r.scheduleStep(ctx, r.now().Add(21*time.Minute))
	if r.message() != "" || len(r.kept.expiring()) != 0 {
		t.Errorf("message %q, still to come %v", r.message(), r.kept.expiring())
	}
}
