package caddymodule

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
)

func init() { caddy.RegisterModule(adminAPI{}) }

const (
	adminPrefix  = "/ropeline/rooms"
	maxAdminBody = 4 << 10
	maxRooms     = 100 // in one answer
	adminTimeout = 5 * time.Second
)

// adminAPI adds GET /ropeline/rooms, GET /ropeline/rooms/<room> and POST /ropeline/rooms/<room>/<action> to Caddy's
// admin listener. Rooms are looked up at each request: this module is older than the apps.
type adminAPI struct{}

// CaddyModule returns the module's id.
func (adminAPI) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "admin.api.ropeline", New: func() caddy.Module { return adminAPI{} }}
}

// Routes implements caddy.AdminRouter.
func (adminAPI) Routes() []caddy.AdminRoute {
	return []caddy.AdminRoute{
		{Pattern: adminPrefix, Handler: caddy.AdminHandlerFunc(answerAdmin)},
		{Pattern: adminPrefix + "/", Handler: caddy.AdminHandlerFunc(answerAdmin)},
	}
}

// roomReport is what an operator sees of a room.
type roomReport struct {
	statusDoc
	Term       int64   `json:"term"`
	Live       int64   `json:"live"`
	Cap        int     `json:"cap"`
	RateText   string  `json:"rate_text"`
	Present    int64   `json:"present"`
	Idle       string  `json:"idle"`
	Hard       string  `json:"hard"`
	StoreStale bool    `json:"store_stale"`
	Draw       drawDoc `json:"draw"`

	Reason  string       `json:"reason,omitempty"`  // why the room stopped itself
	Settled bool         `json:"settled"`           // every edge has the newest recall and draw on disk
	Ceiling int64        `json:"ceiling"`           // no index at or above it was given
	Doubled [][2]int64   `json:"doubled,omitempty"` // indexes [from, to) that may have been given twice: an alarm
	Edges   []edgeReport `json:"edges"`

	Pacing *pacingReport `json:"pacing,omitempty"` // of a paced room

	Expiring map[string]expiry `json:"expiring,omitempty"` // changes that will be taken back
}

func report(r *room) roomReport {
	s := r.line.Snapshot()
	return roomReport{statusDoc: r.statusDoc(r.now()), Term: s.Term, Live: s.Live, Cap: s.Settings.Cap, RateText: rateText(s),
		Present: s.Waiting, Idle: s.Settings.Idle.String(), Hard: s.Settings.Hard.String(), StoreStale: s.Stale, Draw: newDrawDoc(r.name, s), Expiring: r.expiring(),
		Reason: s.Reason, Settled: s.Settled, Ceiling: s.Ceil, Doubled: s.Doubled, Edges: edgeReports(r, s)}
}

func serveAdmin(w http.ResponseWriter, r *http.Request) error {
	rest := strings.Trim(strings.TrimPrefix(r.URL.Path, adminPrefix), "/")
	name, action, _ := strings.Cut(rest, "/")
	for _, rm := range liveRooms() {
		if rm.name != name {
			continue
		}
		if done, err := servePace(w, r, rm, action); done {
			return err
		}
		break
	}
	if (action == "") != (r.Method == http.MethodGet || r.Method == http.MethodHead) || action != "" && r.Method != http.MethodPost {
		return refuse(http.StatusMethodNotAllowed, "use GET %s[/<room>] or POST %s/<room>/<action>, action one of %s", adminPrefix, adminPrefix, actionNames())
	}
	if name == "" {
		return listRooms(w, r)
	}
	for _, rm := range liveRooms() {
		if rm.name != name {
			continue
		}
		if action != "" {
			if err := alter(r, rm, action); err != nil {
				return err
			}
		}
		rep := report(rm)
		rep.Pacing = rm.pacing(r.Context())
		return writeAdmin(w, rep)
	}
	return refuse(http.StatusNotFound, "no room %q in the running configuration", name)
}

func alter(r *http.Request, rm *room, action string) error {
	var body adminBody
	raw, err := io.ReadAll(io.LimitReader(r.Body, maxAdminBody))
	if err != nil {
		return refuse(http.StatusBadRequest, "body: %v", err)
	}
	if len(raw) > 0 {
		d := json.NewDecoder(strings.NewReader(string(raw)))
		d.DisallowUnknownFields()
		if err := d.Decode(&body); err != nil {
			return refuse(http.StatusBadRequest, `body: %v: send {"rate":"20/s"} or {"cap":500}`, err)
		}
	}
	if actions[action] == nil {
		return refuse(http.StatusNotFound, "no action %q: use %s", action, actionNames())
	}
	c, err := want(action, body, rm.now())
	if err != nil {
		return refuse(http.StatusBadRequest, "%v", err)
	}
	if c.Who == "" {
		c.Who = "admin API, " + r.RemoteAddr
	}
	ctx, cancel := context.WithTimeout(r.Context(), adminTimeout)
	defer cancel()
	if err := rm.change(ctx, c); err != nil {
		return refuse(changeStatus(err), "%s: %v", action, err)
	}
	return nil
}

func actionNames() string { return strings.Join(slices.Sorted(maps.Keys(actions)), ", ") }

// listRooms gives a part of the list of rooms, by name: ?limit=100&after=<name of the last one seen>.
func listRooms(w http.ResponseWriter, r *http.Request) error {
	limit, after := maxRooms, r.URL.Query().Get("after")
	if v := r.URL.Query().Get("limit"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > maxRooms {
			return refuse(http.StatusBadRequest, "limit %q: use 1 to %d", v, maxRooms)
		}
		limit = n
	}
	all := liveRooms()
	slices.SortFunc(all, func(a, b *room) int { return strings.Compare(a.name, b.name) })
	out := []roomReport{}
	for _, rm := range all {
		if rm.name <= after {
			continue
		}
		if len(out) == limit {
			w.Header().Set("Link", fmt.Sprintf(`<%s?limit=%d&after=%s>; rel="next"`, adminPrefix, limit, out[limit-1].Room))
			break
		}
		out = append(out, report(rm))
	}
	return writeAdmin(w, out)
}

// refuse must be returned as it is: Caddy looks for the type by value, unwrapped.
func refuse(status int, format string, args ...any) error {
	return caddy.APIError{HTTPStatus: status, Err: fmt.Errorf(format, args...)}
}

func writeAdmin(w http.ResponseWriter, v any) error {
	w.Header().Set("Content-Type", "application/json")
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

var _ caddy.AdminRouter = adminAPI{}
