package caddymodule

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
)

func optionsOf(t *testing.T, text string) (RoomConfig, error) {
	t.Helper()
	var h Handler
	err := caddy.StrictUnmarshalJSON([]byte(text), &h)
	return h.RoomConfig, err
}

// What JSON has for an option is taken, beside what the Caddyfile writes.
func TestOptionsTakeTheirNaturalJSON(t *testing.T) {
	five := 5
	want := RoomConfig{Rate: "20/s", Cap: &five, Passthrough: true, BindPass: "off", Idle: caddy.Duration(10 * time.Minute), QueueStatus: 429, Beside: "assets health"}
	for _, text := range []string{
		`{"room":"main","rate":"20/s","cap":5,"passthrough":true,"bind_pass":false,"idle":"10m","queue_status":429,"beside":["assets","health"]}`,
		`{"room":"main","rate":"20/s","cap":"5","passthrough":"on","bind_pass":"off","idle":600000000000,"queue_status":"429","beside":"assets health","title":null}`,
	} {
		got, err := optionsOf(t, text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%+v, %v", text, got, err)
		}
	}
	if got, err := optionsOf(t, `{"room":"main","rate":"1/s","wait_page":true,"pace":{"mode":"shadow","p99":1000000000}}`); err != nil || got.WaitPage != "on" || got.Pace.Mode != paceShadow {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := optionsOf(t, `{"room":"main","rate":0}`); err != nil || got.validate() != nil {
		t.Errorf("rate 0: %v, %v", err, got.validate())
	}
	// What the Caddyfile's adapter prints is read again as it was.
	b, err := json.Marshal(Handler{Room: "main", RoomConfig: want})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := optionsOf(t, string(b)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %+v, %v", b, got, err)
	}
}

// All else is named with what to write.
func TestJSONOfAnotherTypeIsToldTheCure(t *testing.T) {
	for option, cure := range map[string]string{
		`"passthrough":1`:          `passthrough 1: write true or false`,
		`"passthrough":"yes"`:      `passthrough "yes": write true or false`,
		`"bind_pass":3`:            `bind_pass 3: write true or false`,
		`"rate":20`:                `rate 20: write a text that says in what time, for example "20/s"`,
		`"idle":600`:               `idle 600: write a duration with its unit, for example "10m": a number alone means nanoseconds`,
		`"hard":"60"`:              `hard "60": write a duration with its unit`,
		`"cap":1.5`:                `cap 1.5: write a whole number, for example 500`,
		`"cap":"many"`:             `cap "many": write a whole number, for example 500`,
		`"queue_status":[]`:        `queue_status []: write a whole number, for example 503`,
		`"title":5`:                `title 5: write a text, in quotes`,
		`"beside":{"assets":true}`: `beside {"assets":true}: write a list of texts`,
		`"wait_page":3`:            `wait_page 3: write true or false`,
		`"pace":{"mod":"auto"}`:    `unknown field "mod"`,
		`"rat":"1/s"`:              `unknown option "rat": did you mean rate?`,
	} {
		_, err := optionsOf(t, `{"room":"main",`+option+`}`)
		if err == nil || !strings.Contains(err.Error(), cure) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", option, err, cure)
		}
	}
}
