// Package history keeps what clients saw: two JSON lines for each operation,
// one when it begins and one when it ends. A checker can then tell what was
// acknowledged, what was refused and what nobody knows.
//
//	{"op":7,"client":3,"type":"invoke","f":"hold","args":{...},"t_mono":1200345,"t_wall":"2026-..."}
//	{"op":7,"client":3,"type":"ok","f":"hold","result":{"status":201,...},"t_mono":1260001,"t_wall":"..."}
//
// The vocabulary (invoke, ok, fail, info) is that of Jepsen's histories.
package history

import (
	"encoding/json"
	"time"
)

// Type says at which end of an operation a line stands, and how it ended.
type Type string

const (
	Invoke Type = "invoke" // it begins: from here on it may have an effect
	OK     Type = "ok"     // acknowledged: the effect is promised
	Fail   Type = "fail"   // refused: there was no effect
	Info   Type = "info"   // nobody knows: no answer, or an answer that says so
)

// Entry is one line.
type Entry struct {
	Op     int64           `json:"op"`     // the same number on both lines of an operation
	Client int             `json:"client"` // number of the buyer; 0 for the load program itself
	Type   Type            `json:"type"`
	F      string          `json:"f"` // what was done: "knock", "hold", "pay", ...
	Args   json.RawMessage `json:"args,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Mono   int64           `json:"t_mono"` // nanoseconds since the history began, from a clock that never jumps
	Wall   time.Time       `json:"t_wall"` // UTC, to lay the history beside other logs
}

// Call is Args of an operation that is one HTTP request.
type Call struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Key    string `json:"key,omitempty"` // Idempotency-Key
	Target string `json:"target,omitempty"`
}

// Answer is Result of an operation that is one HTTP request.
type Answer struct {
	Status int    `json:"status,omitempty"`
	Wait   bool   `json:"wait,omitempty"`  // the waiting room's own answer (Ropeline-Answer: wait), of whatever status
	Code   string `json:"code,omitempty"`  // code of the problem document
	State  string `json:"state,omitempty"` // "state" of the document answered
	ID     string `json:"id,omitempty"`    // "id" of the document answered
	Place  *int64 `json:"place,omitempty"` // place in line that the document shows; -1 before the draw
	Hash   string `json:"hash,omitempty"`  // SHA-256 of the body of an answer to a keyed call, so that replays can be compared
	Error  string `json:"error,omitempty"` // why there was no answer
}
