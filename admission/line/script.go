package line

import (
	"context"
	"embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

//go:embed *.lua
var luaFiles embed.FS

// One script per decision. Those that move the door share doorstep.lua.
var (
	scriptStatus   = load("status")
	scriptReport   = load("registry", "session", "merge", "report")
	scriptToken    = load("registry", "session", "merge", "token")
	scriptResume   = load("registry", "session", "merge", "resume")
	scriptCopy     = load("copy")
	scriptSettings = load("settings")
	scriptJoin     = load("join")
	scriptReturn   = load("return")
	scriptKnock    = load("registry", "session", "doorstep", "knock")
	scriptThrough  = load("registry", "session", "doorstep", "through")
	scriptConfirm  = load("confirm")
	scriptTouch    = load("registry", "session", "doorstep", "touch")
	scriptLeave    = load("registry", "session", "doorstep", "leave")
	scriptTick     = load("registry", "session", "merge", "doorstep", "pace", "tick")
	scriptPresence = load("presence")
	scriptRoot     = load("registry", "root")
	scriptEntropy  = load("registry", "entropy")
	scriptReveal   = load("registry", "reveal")
	scriptRaise    = load("raise")
	scriptRecall   = load("registry", "session", "doorstep", "recall")
	scriptReset    = load("registry", "session", "merge", "reset")
	scriptForget   = load("registry", "forget")
)

// script is one decision, its text complete.
type script struct {
	name string
	text string
	lua  *redis.Script // for the embedded store
	full *redis.Script // for a server, which may have no memory left
}

// whenFull lets a script write at a server that has reached its maxmemory: who waits must still be let in, and a lease be
// ended, when there is no memory for newcomers. Joining alone is refused then. miniredis has no such limit and takes the
// line for an error.
const whenFull = "#!lua flags=allow-oom\n"

func newScript(name, text string) script {
	s := script{name: name, text: text, lua: redis.NewScript(text)}
	if s.full = s.lua; name != "join" {
		s.full = redis.NewScript(whenFull + text)
	}
	return s
}

func load(parts ...string) script {
	var text strings.Builder
	for _, part := range append([]string{"prelude"}, parts...) {
		b, err := luaFiles.ReadFile(part + ".lua")
		if err != nil {
			panic("line: " + err.Error())
		}
		text.Write(b)
	}
	return newScript(parts[len(parts)-1], text.String())
}

// keyNames are the keys of a room in the order of KEYS in prelude.lua; "out" belongs to the edge.
var keyNames = []string{"room", "line", "door", "seen", "in", "fresh", "unc", "spent", "here0", "here1", "ended", "sess", "ident", "came", "out", "merge", "edges", "by", "gate", "pacing"}

// roomKeys are all in one hash slot, so that a room can live in a Redis Cluster.
func roomKeys(prefix, room, edge string) []string {
	keys := make([]string, len(keyNames))
	for i, name := range keyNames {
		keys[i] = prefix + "{" + room + "}:" + name
		if name == "out" {
			keys[i] += ":" + edge
		}
	}
	return keys
}

// The statuses of a reply.
const (
	statusOK     = "OK"
	statusEarly  = "EARLY"  // not yet, or done by another
	statusAbsent = "ABSENT" // the store does not know the room
	statusLost   = "LOST"   // another server process answers than the one that knew the room
	statusFenced = "FENCED" // the caller's epoch or gen is not the room's
	statusClosed = "CLOSED"
	statusMerge  = "MERGING"
	statusPend   = "PENDING"
	statusStale  = "STALE" // a report that was meant for another life of the room
	statusOther  = "OTHER" // the operator spoke of another epoch or term
	statusRoot   = "ROOT"
	statusGiven  = "GIVEN"
)

// reply of any script.
type reply struct {
	status  string
	header  header
	results [][]string
	events  []Event
}

// run calls the script once. Scripts are idempotent, so the client may repeat a call whose answer was lost.
func (s script) run(ctx context.Context, at *Store, keys []string, args ...any) (reply, error) {
	lua := s.full
	if at.Embedded() {
		lua = s.lua
	}
	raw, err := lua.Run(ctx, at.client, keys, args...).Slice()
	if err != nil {
		return reply{}, fmt.Errorf("%w: script %s: %w", ErrStore, s.name, err)
	}
	rep, err := parseReply(raw)
	if err != nil {
		return reply{}, fmt.Errorf("%w: script %s: %w", ErrStore, s.name, err)
	}
	return rep, nil
}

func parseReply(raw []any) (rep reply, err error) {
	if len(raw) != 4 {
		return rep, fmt.Errorf("a reply of %d parts", len(raw))
	}
	rep.status = fmt.Sprint(raw[0])
	head := texts(raw[1])
	if rep.header, err = parseHeader(head); err != nil {
		return rep, err
	}
	list, _ := raw[2].([]any)
	for _, item := range list {
		rep.results = append(rep.results, texts(item))
	}
	for _, line := range texts(raw[3]) {
		e, err := parseEvent(line)
		if err != nil {
			return rep, err
		}
		rep.events = append(rep.events, e)
	}
	return rep, nil
}

func texts(v any) []string {
	list, _ := v.([]any)
	out := make([]string, len(list))
	for i, item := range list {
		out[i] = fmt.Sprint(item)
	}
	return out
}

// num reads a number that a script wrote; scripts write nothing else there.
func num(s string) int64 {
	n, _ := strconv.ParseInt(s, 10, 64)
	return n
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
