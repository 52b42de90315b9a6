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

	"github.com/ropeline/ropeline/admission/line"
	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/pace/lead"
	"github.com/ropeline/ropeline/admission/pace/record"
	pacereport "github.com/ropeline/ropeline/admission/pace/report"
)

// The routes of a room's admission below /ropeline/rooms/<room>/.
const (
	pacePath     = "pace"
	pacePathPast = "pace/explain"
	pacePathSet  = "pace/override"
)

// servePace answers them; done is false for any other path.
func servePace(w http.ResponseWriter, r *http.Request, rm *room, path string) (done bool, err error) {
	method, handle := http.MethodGet, paceNow
	switch path {
	case pacePath:
	case pacePathPast:
		handle = pacePast
	case pacePathSet:
		method, handle = http.MethodPost, paceSet
	default:
		return false, nil
	}
	if r.Method != method && !(r.Method == http.MethodHead && method == http.MethodGet) {
		return true, refuse(http.StatusMethodNotAllowed, "use %s %s/%s/%s", method, adminPrefix, rm.name, path)
	}
	ctx, cancel := context.WithTimeout(r.Context(), adminTimeout)
	defer cancel()
	return true, handle(w, r.WithContext(ctx), rm)
}

func paceNow(w http.ResponseWriter, r *http.Request, rm *room) error {
	doc, err := rm.paceDocument(r.Context())
	if err != nil {
		return refuse(changeStatus(err), "%v", err)
	}
	return writeAdmin(w, doc)
}

// paceDocument is the leader's word, wherever it is asked for.
func (r *room) paceDocument(ctx context.Context) (*pacereport.Document, error) {
	s := r.line.Snapshot()
	inForce := s.Settings.Rate.PerSecond()
	if !r.paced.On() {
		return &pacereport.Document{Room: r.name, Epoch: s.Epoch, Now: r.now(), Mode: pacereport.Off, Configured: pacereport.Off, Applied: true,
			Rate: inForce, InForce: inForce, Release: inForce, Reason: "rate", Sentence: fmt.Sprintf("%.2f people a second: that is the rate that was set", inForce),
			Limits: map[string]float64{"rate": inForce}, Leader: pacereport.Leader{Edge: s.Leader}}, nil
	}
	doc := r.paced.Document()
	if doc == nil {
		b, err := r.line.PaceReport(ctx)
		if err != nil {
			return nil, err
		}
		if b == nil {
			return nil, fmt.Errorf("%w: no edge has decided yet: ask again in a moment", line.ErrStore)
		}
		doc = new(pacereport.Document)
		if err := json.Unmarshal(b, doc); err != nil {
			return nil, fmt.Errorf("the leader's report cannot be read (do all edges run one version?): %w", err)
		}
	}
	doc.InForce = inForce
	return doc, nil
}

// pacingReport is what the status of a room says of its admission; the rest is at /pace.
type pacingReport struct {
	Mode     string  `json:"mode"`
	Applied  bool    `json:"applied"`
	Rate     float64 `json:"rate"`
	Sentence string  `json:"sentence"`
}

func (r *room) pacing(ctx context.Context) *pacingReport {
	if !r.paced.On() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, adminTimeout)
	defer cancel()
	doc, err := r.paceDocument(ctx)
	if err != nil {
		return &pacingReport{Mode: r.conf.Load().Pace.said(), Sentence: err.Error()}
	}
	return &pacingReport{Mode: doc.Mode, Applied: doc.Applied, Rate: doc.Rate, Sentence: doc.Sentence}
}

// rateText is the rate in force as it was set, or as a decision.
func rateText(s line.Snapshot) string {
	if s.Paced {
		return fmt.Sprintf("%.2f/s", s.Settings.Rate.PerSecond())
	}
	return s.Settings.Rate.String()
}

// pacePast answers ?at=<RFC 3339>: the decision that was in force then, with all it was made from; without it the newest.
func pacePast(w http.ResponseWriter, r *http.Request, rm *room) error {
	at := rm.now()
	if v := r.URL.Query().Get("at"); v != "" {
		t, err := time.Parse(time.RFC3339Nano, v)
		if err != nil {
			return refuse(http.StatusBadRequest, "at %q: write a time with its zone, for example 2026-11-30T20:00:00Z", v)
		}
		at = t
	}
	conf := rm.conf.Load()
	if !conf.Pace.on() {
		return refuse(http.StatusConflict, "room %s is not paced: its rate is the one that was set", rm.name)
	}
	path := conf.decisionLog(rm.dir)
	if path == "" {
		return refuse(http.StatusConflict, "room %s keeps no decisions (decision_log off)", rm.name)
	}
	rec, err := record.NewLog(path).At(at)
	switch {
	case errors.Is(err, record.ErrNone):
		return refuse(http.StatusNotFound, "%s: this edge's log has none of before %s: it is bounded, and only the edge that leads writes; the leader is %s", rm.name, stamp(at), rm.line.Snapshot().Leader)
	case err != nil:
		return refuse(http.StatusInternalServerError, "%v", err)
	}
	return writeAdmin(w, rec)
}

// paceSet takes an operator's word, or says what it would do.
func paceSet(w http.ResponseWriter, r *http.Request, rm *room) error {
	var o pacereport.Order
	raw, err := io.ReadAll(io.LimitReader(r.Body, maxAdminBody))
	if err != nil {
		return refuse(http.StatusBadRequest, "body: %v", err)
	}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.DisallowUnknownFields()
	if err := d.Decode(&o); err != nil {
		return refuse(http.StatusBadRequest, `body: %v: send {"mode":"pin","rate":4,"who":"..","why":"..","for":"30m"}`, err)
	}
	if o.Who == "" {
		o.Who = "admin API, " + r.RemoteAddr
	}
	mode, length, err := readOrder(o)
	if err != nil {
		return refuse(http.StatusBadRequest, "%v", err)
	}
	if !rm.conf.Load().Pace.on() {
		return refuse(http.StatusConflict, "room %s is not paced: change its rate with POST %s/%s/rate", rm.name, adminPrefix, rm.name)
	}
	if r.URL.Query().Get("preview") == "1" {
		doc, err := rm.paceDocument(r.Context())
		if err != nil {
			return refuse(changeStatus(err), "%v", err)
		}
		return writeAdmin(w, doc.Foresee(o, length, rm.line.Snapshot().Fixed.PerSecond()))
	}
	if err := rm.override(r.Context(), o, mode, length); err != nil {
		return refuse(changeStatus(err), "%v", err)
	}
	return paceNow(w, r, rm)
}

// readOrder checks an order without a room.
func readOrder(o pacereport.Order) (mode pace.Mode, length time.Duration, err error) {
	if mode, err = pace.ParseMode(o.Mode); err != nil {
		return mode, 0, err
	}
	length = pace.DefaultOverride
	if o.For != "" {
		if length, err = time.ParseDuration(o.For); err != nil || length < time.Second || length > maxFor {
			return mode, 0, fmt.Errorf("for %q: write how long it holds, 1s to %s, for example 30m", o.For, maxFor)
		}
	}
	if mode == pace.Auto {
		return mode, 0, nil
	}
	_, err = lead.NewOrder(mode, o.Rate, o.Who, o.Why, time.Now(), length)
	return mode, length, err
}
