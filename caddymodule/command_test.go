package caddymodule

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestQuickErrors(t *testing.T) {
	good := quick{From: ":8080", To: "http://localhost:3000", Rate: "20/s", Cap: 500, State: "open", Store: "embedded", Room: "main"}
	for name, c := range map[string]struct {
		change func(*quick)
		want   string
	}{
		"good":      {func(*quick) {}, ""},
		"to":        {func(q *quick) { q.To = "" }, "--to is missing"},
		"to path":   {func(q *quick) { q.To = "http://localhost:3000/app" }, "leave the path out"},
		"to scheme": {func(q *quick) { q.To = "ftp://x" }, "http://host:port"},
		"rate":      {func(q *quick) { q.Rate = "" }, "--rate is missing"},
		"bad rate":  {func(q *quick) { q.Rate = "20" }, "--rate \"20\""},
		"cap":       {func(q *quick) { q.Cap = -1 }, "--cap -1"},
		"state":     {func(q *quick) { q.State = "ajar" }, "--state \"ajar\""},
		"opens":     {func(q *quick) { q.OpensAt = "2026-11-30T20:00:00Z" }, "--opens-at needs --state prequeue"},
		"from":      {func(q *quick) { q.From = "localhost:8080/x" }, "leave the path out"},
		"from port": {func(q *quick) { q.From = "8080" }, "--from :8080"},
		"keys":      {func(q *quick) { q.Store = "redis://127.0.0.1:1/0" }, "--keys is missing"},
		"room":      {func(q *quick) { q.Room = "My Room" }, "--room:"},
		"auto":      {func(q *quick) { q.Rate = "auto" }, ""},
	} {
		q := good
		c.change(&q)
		_, _, err := q.config()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestQuickAddresses(t *testing.T) {
	for from, want := range map[string]site{
		":8080":                  {"http", "", "8080"},
		"localhost:8080":         {"http", "localhost", "8080"},
		"192.168.1.4:80":         {"http", "192.168.1.4", "80"},
		"tickets.example.com":    {"https", "tickets.example.com", "443"},
		"http://tickets.example": {"http", "tickets.example", "80"},
	} {
		q := quick{From: from}
		if got, err := q.site(); err != nil || got != want {
			t.Errorf("%s: %+v %v", from, got, err)
		}
	}
	for to, dial := range map[string]string{"http://localhost:3000": "localhost:3000", "localhost:3000": "localhost:3000", ":3000": "localhost:3000",
		"https://shop.example": "shop.example:443", "http://10.0.0.1": "10.0.0.1:80"} {
		q := quick{To: to}
		h, err := q.proxy()
		if err != nil || h.Upstreams[0].Dial != dial || !strings.HasSuffix(q.origin, "://"+dial) || strings.Contains(string(h.TransportRaw), "tls") != strings.HasPrefix(to, "https") {
			t.Errorf("%s: %v %+v", to, err, h)
		}
	}
	q := quick{From: ":8080", To: ":3000", Rate: "1/s", Cap: 1, State: "open", Room: "main", Store: "embedded"}
	cfg, _, err := q.config()
	if err != nil {
		t.Fatal(err)
	}
	q.Rate, q.Cap = "auto", 500
	auto, _, err := q.config()
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := json.Marshal(auto); !strings.Contains(string(b), `"pace":{"mode":"auto"}`) || strings.Contains(string(b), `"cap"`) {
		t.Errorf("%s", b)
	}
	if b, _ := json.Marshal(cfg); !strings.Contains(string(b), `"waiting_room"`) || !strings.Contains(string(b), `"level":"WARN"`) {
		t.Errorf("%s", b)
	}
}

func TestRoomFlagErrorsNameTheCure(t *testing.T) {
	for args, want := range map[string]string{
		"cap main -1":        "cap -1: write a whole number of live sessions from 0 on, for example 500",
		"rate main -20/s":    "rate -20/s: write entries per time from 0 on, for example 20/s",
		"cap main 5 --fro 1": "there is no flag --fro: did you mean --for?",
	} {
		cmd := &cobra.Command{Use: "room", SilenceErrors: true}
		roomFlags(cmd)
		cmd.SetArgs(strings.Fields(args))
		if err := cmd.Execute(); err == nil || err.Error() != want {
			t.Errorf("room %s: %v, want %q", args, err, want)
		}
	}
}

func TestFlagErrorsNameTheCure(t *testing.T) {
	for args, want := range map[string]string{
		"--cap x":   "--cap x: write a value such as 500",
		"--rte 3/s": "there is no flag --rte: did you mean --rate?",
		"--zzzzz 1": "there is no flag --zzzzz: waiting-room --help lists them",
	} {
		cmd := &cobra.Command{Use: "waiting-room", SilenceErrors: true}
		waitingRoomFlags(cmd)
		cmd.SetArgs(strings.Fields(args))
		if err := cmd.Execute(); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}
