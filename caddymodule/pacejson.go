package caddymodule

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// leastObjective is the shortest time that an option of pace is meant as when it is a number of nanoseconds: 5 and 500 are
// somebody's seconds or milliseconds.
const leastObjective = time.Millisecond

// plainPace is the value of pace as PaceConfig reads it. "auto" alone is what `pace auto` is in a Caddyfile.
func plainPace(v json.RawMessage) (json.RawMessage, error) {
	var word string
	var on bool
	var members map[string]json.RawMessage
	switch {
	case json.Unmarshal(v, &word) == nil:
		return json.Marshal(PaceConfig{Mode: word})
	case json.Unmarshal(v, &on) == nil:
		return json.Marshal(PaceConfig{Mode: map[bool]string{true: paceAuto, false: paceOff}[on]})
	case json.Unmarshal(v, &members) != nil:
		return nil, fmt.Errorf(`%s: write "auto", "shadow" or "off", or {"mode":"auto","p99":"800ms"}`, clip(string(v)))
	}
	for name, v := range members {
		if string(v) == "null" {
			continue
		}
		plain, err := plainPaceOption(name, v)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", name, clip(string(v)), err)
		}
		members[name] = plain
	}
	return json.Marshal(members)
}

func plainPaceOption(name string, v json.RawMessage) (json.RawMessage, error) {
	var s string
	var on bool
	var n float64
	text, word, number := json.Unmarshal(v, &s) == nil, json.Unmarshal(v, &on) == nil, json.Unmarshal(v, &n) == nil
	switch name {
	case "p99", "lock_wait", "hold_for":
		return plainDuration(s, text, v, leastObjective)
	case "telemetry":
		if text {
			return json.Marshal(strings.Fields(s))
		}
		if json.Unmarshal(v, new([]string)) != nil {
			return nil, fmt.Errorf(`write an address or a list of them, for example ["http://10.0.0.7:9090/telemetry"]`)
		}
	case "resources":
		return plainResources(v)
	case "kinds":
		if json.Unmarshal(v, new([]PaceKind)) != nil {
			return nil, fmt.Errorf(`write a list, for example [{"kind":"hold","path":"POST /holds"}]`)
		}
	case "stock", "mode":
		if word {
			return json.Marshal(map[bool]string{true: map[string]string{"stock": "on", "mode": paceAuto}[name], false: "off"}[on])
		}
		if !text {
			return nil, fmt.Errorf(`write a text, %s`, map[string]string{"stock": `"on" or "off"`, "mode": `"auto", "shadow" or "off"`}[name])
		}
	case "errors", "slew", "seats":
		if number {
			return json.Marshal(string(v)) // 0.01 and 2.5 are what the text says too
		}
		if !text {
			return nil, fmt.Errorf(`write a text, for example %s`, map[string]string{"errors": `"1%"`, "slew": `"5%"`, "seats": `"2.5"`}[name])
		}
	case "safe_rate", "last_rate", "floor", "ceiling":
		if !text {
			return nil, fmt.Errorf(`write a text that says in what time, for example "20/s"`)
		}
	case "decision_log":
		if word && !on {
			return json.Marshal(noLog)
		}
		fallthrough
	case "preset", "telemetry_secret":
		if !text {
			return nil, fmt.Errorf(`write a text, in quotes`)
		}
	}
	return v, nil // what is no option is named by the decoder
}

// plainResources takes "db" and ["db"] beside [{"name":"db"}].
func plainResources(v json.RawMessage) (json.RawMessage, error) {
	var one string
	list := []json.RawMessage{}
	if json.Unmarshal(v, &one) == nil {
		list = append(list, v)
	} else if json.Unmarshal(v, &list) != nil {
		return nil, fmt.Errorf(`write a list, for example [{"name":"db","work":10}]`)
	}
	for i, r := range list {
		var members map[string]json.RawMessage
		switch {
		case json.Unmarshal(r, &one) == nil:
			members = map[string]json.RawMessage{"name": r}
		case json.Unmarshal(r, &members) != nil:
			return nil, fmt.Errorf(`write {"name":"db","work":10} for each`)
		}
		var s, head string
		if age, ok := members["work_age"]; ok {
			text := json.Unmarshal(age, &s) == nil
			plain, err := plainDuration(s, text, age, leastObjective)
			if err != nil {
				return nil, fmt.Errorf("work_age: %w", err)
			}
			members["work_age"] = plain
		}
		if share, ok := members["headroom"]; ok && json.Unmarshal(share, &head) != nil {
			members["headroom"], _ = json.Marshal(string(share))
		}
		list[i], _ = json.Marshal(members)
	}
	return json.Marshal(list)
}
