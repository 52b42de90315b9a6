package caddymodule

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
)

// jsonOptions are the options of a room by their names in JSON, with the Go type each has.
var jsonOptions = func() map[string]reflect.Type {
	out := map[string]reflect.Type{}
	for f := range reflect.TypeFor[RoomConfig]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		out[name] = f.Type
	}
	return out
}()

// lists are the options with several values, which a Caddyfile writes in one pair of quotes.
var lists = map[string]bool{"beside": true, "crawlers": true, "cors": true}

// words are the options that are on or off and kept as that word, since neither is what an empty one means.
var words = map[string]bool{"bind_pass": true, "wait_page": true}

// UnmarshalJSON reads a handler's JSON. People write it by hand, from the Caddyfile's reference: each option takes what JSON has
// for it (true beside "on", 500 beside "500", a list beside a text with spaces), and what it does not take is answered with what
// to write. encoding/json would say the names of our types, and take 600 for 600 nanoseconds.
func (h *Handler) UnmarshalJSON(b []byte) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	for name, v := range raw {
		if name == "room" || name == "gate" || bytes.Equal(v, []byte("null")) {
			continue
		}
		t, ok := jsonOptions[name]
		if !ok {
			return fmt.Errorf("waiting_room: unknown option %q%s", name, cmp.Or(elsewhere(name), suggest(name, roomOptions)))
		}
		if name == "pace" {
			plain, err := plainPace(v)
			if err != nil {
				return fmt.Errorf("waiting_room: pace: %w", err)
			}
			raw[name] = plain
			continue
		}
		plain, err := plainOption(name, t, v)
		if err != nil {
			return fmt.Errorf("waiting_room: %s %s: %w", name, clip(string(v)), err)
		}
		raw[name] = plain
	}
	b, err := json.Marshal(raw)
	if err != nil {
		return err
	}
	type plainHandler Handler // without this method
	strict := json.NewDecoder(bytes.NewReader(b))
	strict.DisallowUnknownFields() // what is inside an option, as Caddy does with the handler itself
	if err := strict.Decode((*plainHandler)(h)); err != nil {
		return fmt.Errorf("waiting_room: %w", err)
	}
	return nil
}

// plainOption is the value as the field of type t reads it.
func plainOption(name string, t reflect.Type, v json.RawMessage) (json.RawMessage, error) {
	var s string
	text := json.Unmarshal(v, &s) == nil
	switch {
	case t == reflect.TypeFor[caddy.Duration]():
		return plainDuration(s, text, v, time.Second)
	case t.Kind() == reflect.Bool:
		if text && (s == "on" || s == "off") {
			return json.Marshal(s == "on")
		}
		if !text && json.Unmarshal(v, new(bool)) == nil {
			return v, nil
		}
		return nil, fmt.Errorf(`write true or false, or "on" or "off"`)
	case t.Kind() == reflect.Int || t == reflect.TypeFor[*int]():
		if text {
			v = json.RawMessage(strings.TrimSpace(s))
		}
		if json.Unmarshal(v, new(int)) != nil {
			return nil, fmt.Errorf("write a whole number, for example %s", map[string]string{"queue_status": "503"}[name]+map[bool]string{true: "500"}[name == "cap"])
		}
		return v, nil
	case text || t.Kind() != reflect.String:
		return v, nil
	}
	return plainText(name, v)
}

// plainText is for options that are a text and were written as something else.
func plainText(name string, v json.RawMessage) (json.RawMessage, error) {
	var list []string
	var on bool
	switch {
	case lists[name]:
		if json.Unmarshal(v, &list) == nil {
			return json.Marshal(strings.Join(list, " "))
		}
		return nil, fmt.Errorf(`write a list of texts, or one text with spaces between`)
	case words[name] && json.Unmarshal(v, &on) == nil:
		return json.Marshal(map[bool]string{true: "on", false: "off"}[on])
	case name == "rate" && string(v) == "0":
		return json.Marshal("0")
	case name == "rate":
		return nil, fmt.Errorf(`write a text that says in what time, for example "20/s"`)
	case words[name]:
		return nil, fmt.Errorf(`write true or false, or "on" or "off"`)
	}
	return nil, fmt.Errorf(`write a text, in quotes`)
}

// plainDuration takes "10m". A number is nanoseconds, as Caddy's own JSON and the Caddyfile's adapter have them; one too small
// to be meant so is somebody's seconds.
func plainDuration(s string, text bool, v json.RawMessage, least time.Duration) (json.RawMessage, error) {
	var n int64
	if text {
		if d, err := caddy.ParseDuration(s); err != nil || d <= 0 {
			return nil, fmt.Errorf(`write a duration with its unit, for example "10m"`)
		}
		return v, nil
	}
	if err := json.Unmarshal(v, &n); err != nil || n < int64(least) {
		return nil, fmt.Errorf(`write a duration with its unit, for example "10m": a number alone means nanoseconds`)
	}
	return v, nil
}

// differences names the options in which two configurations of a room differ, with both values.
func differences(a, b RoomConfig) string {
	was, is := reflect.ValueOf(a), reflect.ValueOf(b)
	var out []string
	for i := range was.NumField() {
		if x, y := was.Field(i).Interface(), is.Field(i).Interface(); !reflect.DeepEqual(x, y) {
			name, _, _ := strings.Cut(was.Type().Field(i).Tag.Get("json"), ",")
			out = append(out, fmt.Sprintf("%s %s and %s", name, shown(name, x), shown(name, y)))
		}
	}
	return strings.Join(out, ", ")
}

func shown(name string, v any) string {
	if strings.HasSuffix(name, "_secret") {
		return "one" // the value of captcha_secret is nobody's to read in a log
	}
	if d, ok := v.(caddy.Duration); ok {
		v = time.Duration(d)
	}
	if n, ok := v.(*int); ok && n != nil {
		v = *n
	}
	if f := reflect.ValueOf(v); !f.IsValid() || f.IsZero() {
		return "none"
	}
	return clip(fmt.Sprint(v))
}
