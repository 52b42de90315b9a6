package caddymodule

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
)

func TestPaceTakesItsNaturalJSON(t *testing.T) {
	for text, want := range map[string]PaceConfig{
		`"auto"`:          {Mode: "auto"},
		`true`:            {Mode: "auto"},
		`false`:           {Mode: "off"},
		`{"mode":"auto"}`: {Mode: "auto"},
		`{"mode":"shadow","p99":"800ms","lock_wait":200000000,"errors":0.02,"seats":2.5,"stock":true,"decision_log":false,"floor":null,"telemetry":"http://x/t http://y/t","resources":"db"}`: {
			Mode: "shadow", P99: caddy.Duration(800 * time.Millisecond), LockWait: caddy.Duration(200 * time.Millisecond), Errors: "0.02", Seats: "2.5",
			Stock: "on", DecisionLog: "off", Telemetry: []string{"http://x/t", "http://y/t"}, Resources: []PaceResource{{Name: "db"}}},
		`{"mode":"auto","resources":["db",{"name":"pay","work_age":"90s","headroom":0.85,"cost":{"page":1}}]}`: {
			Mode: "auto", Resources: []PaceResource{{Name: "db"}, {Name: "pay", WorkAge: caddy.Duration(90 * time.Second), Headroom: "0.85", Cost: map[string]float64{"page": 1}}}},
	} {
		got, err := optionsOf(t, `{"room":"main","pace":`+text+`}`)
		if err != nil || got.Pace == nil || !reflect.DeepEqual(*got.Pace, want) {
			t.Errorf("%s: %+v, %v", text, got.Pace, err)
		}
	}
	for text, cure := range map[string]string{
		`5`:                                   `pace: 5: write "auto", "shadow" or "off"`,
		`{"mode":"auto","p99":5}`:             `pace: p99 5: write a duration with its unit`,
		`{"mode":"auto","p99":"5"}`:           `pace: p99 "5": write a duration with its unit`,
		`{"mode":3}`:                          `pace: mode 3: write a text, "auto", "shadow" or "off"`,
		`{"mode":"auto","floor":1}`:           `pace: floor 1: write a text that says in what time`,
		`{"mode":"auto","kinds":"a"}`:         `pace: kinds "a": write a list`,
		`{"mode":"auto","preset":1}`:          `pace: preset 1: write a text`,
		`{"mode":"auto","telemetry":{"a":1}}`: `write an address or a list of them`,
		`{"mode":"auto","resources":[{"name":"db","work_age":90}]}`: `work_age: write a duration with its unit`,
		`{"mode":"auto"},"p99":"1s"`:                                `"p99": it belongs into the block of pace`,
	} {
		if _, err := optionsOf(t, `{"room":"main","pace":`+text+`}`); err == nil || !strings.Contains(err.Error(), cure) || strings.Contains(err.Error(), "Go ") {
			t.Errorf("%s: %v, want %s", text, err, cure)
		}
	}
}

// What cannot work is refused before the event, at the line of the option.
func TestPaceOptionsThatCannotWork(t *testing.T) {
	for in, want := range map[string][2]string{
		"pace auto {\np99 1s\nerrors 1\nseats 2\n}":                     {"that is all requests", ":5"},
		"pace auto {\nseats 2\nsafe_rate 0/s\nslew 5%\n}":               {"safe_rate 0/s: nobody would enter: write more than 0", ":5"},
		"pace auto {\nfloor 5/s\nceiling 1/s\nseats 2\n}":               {"above ceiling", ":4"},
		"pace auto {\nstock on\nseats 2\n}":                             {"stock needs telemetry", ":4"},
		"pace auto {\nseats 2\nresource db {\nwork 3\nheadroom 5\n}\n}": {"headroom", ":5"},
		"p99 1s\npace auto":                                             {"unknown option \"p99\": it belongs into the block of pace, pace auto { p99 ... }", ":3"},
		"kind hold POST /x\npace auto":                                  {"it belongs into the block of pace", ":3"},
	} {
		_, err := adapt("http:// {\nwaiting_room main {\n" + in + "\n}\n}")
		if err == nil || !strings.Contains(err.Error(), want[0]) || !strings.Contains(err.Error(), "Caddyfile"+want[1]) {
			t.Errorf("%q: %v, want %s", in, err, want)
		}
	}
}

func TestPaceFilesAreLookedAtByValidate(t *testing.T) {
	dir := t.TempDir()
	c := RoomConfig{Pace: &PaceConfig{Mode: paceAuto, Telemetry: []string{"http://127.0.0.1/t"}, TelemetrySecret: filepath.Join(dir, "none")}}
	if err := c.checkFiles(); err == nil || !strings.Contains(err.Error(), "openssl rand") {
		t.Error(err)
	}
	c.Pace.TelemetrySecret, c.Pace.DecisionLog = "", filepath.Join(dir, "none", "d.jsonl")
	if err := c.checkFiles(); err == nil || !strings.Contains(err.Error(), "decision_log") || !strings.Contains(err.Error(), "there is no directory") {
		t.Error(err)
	}
	for _, log := range []string{"", noLog, filepath.Join(dir, "d.jsonl")} {
		if c.Pace.DecisionLog = log; c.checkFiles() != nil {
			t.Errorf("%q is refused: %v", log, c.checkFiles())
		}
	}
}

func TestAutoInARoomOfShadowSaysThatNothingIsApplied(t *testing.T) {
	if s := fromNowOn("auto", "shadow"); !strings.HasPrefix(s, "shadow from the next second on") {
		t.Error(s)
	}
	if s := fromNowOn("auto", "auto"); s != "auto from the next second on" {
		t.Error(s)
	}
}
