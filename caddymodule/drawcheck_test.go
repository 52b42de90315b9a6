package caddymodule

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// AQ8, W57: with a receipt from before the draw, `ropeline verify-draw` proves a place from what is public alone, and
// finds a list in which somebody else stands there.
func TestVerifyDrawWithReceipts(t *testing.T) {
	e := newEdge(t, roomWith("rate 0", "state prequeue", `entropy_source "numbers of Sunday"`), "")
	e.until("known", func() bool { return known(e.snapshot()) })
	dir := t.TempDir()
	save := func(name, body string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	people := []*visitorClient{e.visitor(), e.visitor(), e.visitor()}
	var receipts []string
	for _, v := range people {
		v.navigate("/").want(t, 503)
		r := v.do("GET", reservedPrefix+"main/receipt").want(t, 200)
		if r.Header.Get("Cache-Control") != "private, no-store" {
			t.Error("a receipt may be cached")
		}
		receipts = append(receipts, r.body)
	}
	e.visitor().do("GET", reservedPrefix+"main/receipt").want(t, http.StatusUnauthorized)
	soon := people[1].navigate(reservedPrefix+"main/check").want(t, 200)
	if !strings.Contains(soon.body, "has not been held yet") || !strings.Contains(soon.body, "numbers of Sunday") || !strings.Contains(soon.body, "nobody could choose") {
		t.Error("the page before the draw")
	}
	if none := e.visitor().navigate(reservedPrefix+"main/check").want(t, 200); !strings.Contains(none.body, "You have no place") || none.Header.Get("Set-Cookie") != "" {
		t.Error("the page of a stranger")
	}
	early := save("early.json", people[0].do("GET", reservedPrefix+"main/draw").body)
	e.admin("open", "")
	e.until("frozen", func() bool { return e.snapshot().Draw.Root != [32]byte{} })
	frozen := save("frozen.json", people[0].do("GET", reservedPrefix+"main/draw").body)
	e.admin("entropy", `{"entropy":"4 8 15"}`)
	e.until("revealed", func() bool { return e.snapshot().Draw.Revealed })

	v := people[0]
	list := v.do("GET", reservedPrefix+"main/draw/list").body
	record, listFile, keys := save("draw.json", v.do("GET", reservedPrefix+"main/draw").body), save("list", list), save("jwks.json", v.do("GET", reservedPrefix+"main/jwks.json").body)
	verify := func(o verifyDraw, from string) (string, error) {
		var out bytes.Buffer
		o.out, o.keys = &out, keys
		err := o.run(from)
		return out.String(), err
	}
	for i, r := range receipts {
		want := ticketOf(e, people[i])
		out, err := verify(verifyDraw{list: listFile, receipt: save("receipt", r), index: 1, entropy: "4 8 15"}, record)
		place := e.room().line.Place(want.Index)
		if err != nil || !strings.Contains(out, "3 participants") || !strings.Contains(out, "Nobody could choose") ||
			!strings.Contains(out, fmt.Sprintf("number %d is in the list, and its place is %d.", want.Index+1, place+1)) || !strings.Contains(out, fmt.Sprintf("Number 2 in the list has place %d.", e.room().line.Place(1)+1)) {
			t.Errorf("receipt %d (place %d): %v\n%s", i, place, err, out)
		}
	}
	// The page counts as the command does: from 1, which is the line in the list.
	mine := people[1].navigate(reservedPrefix+"main/check").want(t, 200).body
	if mine = strings.Join(strings.Fields(mine), " "); !strings.Contains(mine, "<dd>2</dd>") || !strings.Contains(mine, fmt.Sprintf("<dd>%d</dd>", e.room().line.Place(1)+1)) {
		t.Errorf("the page after the draw: %s", mine)
	}
	for what, o := range map[string]verifyDraw{
		"--index 3: the draw had 3 participants: write 0 to 2":  {list: listFile, index: 3},
		"--number 4: the draw had 3 participants: write 1 to 3": {list: listFile, index: -1, number: 4},
		"--number -1: the draw had 3 participants":              {list: listFile, index: -1, number: -1},
		"--index and --number name one participant in two ways": {list: listFile, index: 1, number: 2},
	} {
		if _, err := verify(o, record); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	lines := strings.Split(strings.TrimSpace(list), "\n")
	lines[0], lines[1] = lines[1], lines[0]
	for what, c := range map[string]struct {
		o    verifyDraw
		from string
	}{
		"not the one that was drawn": {verifyDraw{list: save("swapped", strings.Join(lines, "\n"))}, record},
		"not with \"5\"":             {verifyDraw{list: listFile, entropy: "5"}, record},
		"--list is missing":          {verifyDraw{}, record},
		"receipt: token refused":     {verifyDraw{list: listFile, receipt: save("bad", receipts[0][:40])}, record},
		"no such file":               {verifyDraw{list: listFile}, filepath.Join(dir, "none")},
		"not the record":             {verifyDraw{list: listFile}, listFile},
	} {
		if _, err := verify(c.o, c.from); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, from := range []string{early, frozen} { // nothing is wrong with them: there is nothing to check
		if _, err := verify(verifyDraw{list: listFile}, from); err == nil || !strings.Contains(err.Error(), "come again") || strings.Contains(err.Error(), "NOT HOLD") {
			t.Errorf("%s: %v", from, err)
		}
	}
	// By URL, with everything fetched beside the record.
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(v.do("GET", r.URL.Path).body))
	})}
	addr := serveOn(t, srv)
	var out bytes.Buffer
	o := verifyDraw{out: &out, receipt: save("receipt", receipts[2]), index: -1}
	if err := o.run("http://" + addr + reservedPrefix + "main/draw"); err != nil || !strings.Contains(out.String(), "Your receipt") {
		t.Errorf("by URL: %v\n%s", err, out.String())
	}
}
