package caddymodule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/ropeline/ropeline/admission/line"
)

func init() { caddy.RegisterModule(adminAPI{}) }

const (
	adminPrefix  = "/ropeline/rooms"
	maxAdminBody = 4 << 10
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
		{Pattern: adminPrefix, Handler: caddy.AdminHandlerFunc(serveAdmin)},
		{Pattern: adminPrefix + "/", Handler: caddy.AdminHandlerFunc(serveAdmin)},
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
}

func report(r *room) roomReport {
	s := r.line.Snapshot()
	return roomReport{statusDoc: r.statusDoc(r.now()), Term: s.Term, Live: s.Live, Cap: s.Settings.Cap, RateText: s.Settings.Rate.String(),
		Present: s.Waiting, Idle: s.Settings.Idle.String(), Hard: s.Settings.Hard.String(), StoreStale: s.Stale, Draw: newDrawDoc(r.name, s)}
}

func serveAdmin(w http.ResponseWriter, r *http.Request) error {
	rest := strings.Trim(strings.TrimPrefix(r.URL.Path, adminPrefix), "/")
	name, action, _ := strings.Cut(rest, "/")
	if (action == "") != (r.Method == http.MethodGet || r.Method == http.MethodHead) || action != "" && r.Method != http.MethodPost {
		return refuse(http.StatusMethodNotAllowed, "use GET %s[/<room>] or POST %s/<room>/{open,pause,resume,close,rate,cap}", adminPrefix, adminPrefix)
	}
	if name == "" {
		out := []roomReport{}
		for _, rm := range liveRooms() {
			out = append(out, report(rm))
		}
		return writeAdmin(w, out)
	}
	for _, rm := range liveRooms() {
		if rm.name != name {
			continue
		}
		if action != "" {
			if err := change(r, rm, action); err != nil {
				return err
			}
		}
		return writeAdmin(w, report(rm))
	}
	return refuse(http.StatusNotFound, "no room %q in the running configuration", name)
}

// adminBody is the body of a change; each action reads its own member.
type adminBody struct {
	Rate *line.Rate `json:"rate"`
	Cap  *int       `json:"cap"`
}

func change(r *http.Request, rm *room, action string) error {
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
	var c line.Change
	switch action {
	case "open", "pause", "resume", "close":
		c.Action = line.Action(action)
	case "rate":
		if c.Rate = body.Rate; c.Rate == nil {
			return refuse(http.StatusBadRequest, `rate is missing: send {"rate":"20/s"}`)
		}
	case "cap":
		if c.Cap = body.Cap; c.Cap == nil || *c.Cap < 0 || *c.Cap > line.MaxCap {
			return refuse(http.StatusBadRequest, `cap is missing or out of range: send {"cap":500}, 0 to %d`, line.MaxCap)
		}
	default:
		return refuse(http.StatusNotFound, "no action %q: use open, pause, resume, close, rate or cap", action)
	}
	ctx, cancel := context.WithTimeout(r.Context(), adminTimeout)
	defer cancel()
	if err := rm.line.Change(ctx, c); err != nil {
		status := http.StatusConflict
		if errors.Is(err, line.ErrStore) {
			status = http.StatusServiceUnavailable
		}
		return refuse(status, "%s: %v", action, err)
	}
	rm.status.forget()
	return nil
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
