package caddymodule

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ropeline/ropeline/admission/line"
)

// Access logs and placeholders say how a request met the room.
func TestAccessLogFields(t *testing.T) {
	e := newEdge(t, roomWith("rate 1000/s", "cap 1"), "")
	path := filepath.Join(e.dir, "access.log")
	text := strings.Replace(e.config("waiting_room @gated main {\nrate 1000/s\ncap 1\n}\n@gated not path /free\nlog_append standing {http.ropeline.standing}"),
		"bind unix/"+e.sock, "bind unix/"+e.sock+"\n\tlog {\n\t\toutput file "+path+"\n\t\tformat json\n\t}", 1)
	if err := e.loadText(text); err != nil {
		t.Fatal(err)
	}
	v, w := e.visitor(), e.visitor()
	v.navigate("/a").want(t, 503)
	v.enter("/a")
	v.navigate("/a").want(t, 200)
	w.navigate("/b").want(t, 503)
	w.do("GET", "/free", "Accept", "*/*").want(t, 200)
	type record struct {
		Request  struct{ URI string } `json:"request"`
		Status   int                  `json:"status"`
		Room     string               `json:"ropeline_room"`
		Standing string               `json:"ropeline_standing"`
		Visitor  string               `json:"ropeline_visitor"`
		Place    *int64               `json:"ropeline_place"`
		Appended string               `json:"standing"`
	}
	found := map[string]record{}
	e.until("logged", func() bool {
		f, err := os.Open(path)
		if err != nil {
			return false
		}
		defer f.Close()
		for s := bufio.NewScanner(f); s.Scan(); {
			var r record
			if json.Unmarshal(s.Bytes(), &r) == nil && r.Room == "main" {
				found[r.Request.URI+" "+r.Standing] = r
			}
		}
		return len(found) >= 4
	})
	for key, placed := range map[string]int64{"/a waiting": 0, "/a inside": 0, "/b waiting": 1, "/free beside": -1} {
		r, ok := found[key]
		if !ok || r.Appended != r.Standing || (r.Visitor != "") != (placed >= 0) {
			t.Errorf("%s: %+v", key, r)
		}
		if placed >= 0 && (r.Place == nil || *r.Place != placed) {
			t.Errorf("%s: place %v", key, r.Place)
		}
	}
}

// Subscribers of Caddy's events hear of each state once.
func TestStateEvents(t *testing.T) {
	r := &room{name: "main"}
	var told []string
	emit := func(d map[string]any) { told = append(told, d["before"].(string)+">"+d["state"].(string)) }
	now := line.Snapshot{Epoch: 1, Term: 1, State: "open"}
	now.Heard = now.Now.AddDate(1, 0, 0)
	for _, change := range []func(){func() {}, func() {}, func() { now.State = "paused" }, func() { now.Stale = true }, func() { now.Stale, now.Term = false, 2 }, func() {}} {
		change()
		r.tellState(now, emit)
	}
	if got := strings.Join(told, " "); got != ">open open>paused paused>away away>paused" {
		t.Errorf("told %s", got)
	}
	e := newEdge(t, roomWith("rate 1/s"), "")
	if e.room().emitter() == nil {
		t.Error("the running configuration has no events app")
	}
}
