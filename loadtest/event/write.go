package event

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/pace/record"
	"github.com/ropeline/ropeline/admission/pace/report"
	"github.com/ropeline/ropeline/admission/pace/signal"
)

// Writer writes an event that was only played as the decision log that it would have left: to try the commands on, and to
// ask further questions about it.
type Writer struct {
	to   *json.Encoder
	room string
	cfg  *pace.Config
	due  record.Due
	err  error
}

// NewWriter writes the log of a room that is run with a configuration.
func NewWriter(to io.Writer, room string, cfg *pace.Config) *Writer {
	return &Writer{to: json.NewEncoder(to), room: room, cfg: cfg}
}

// Add writes one second. The first error stops the writing and is what Err returns.
func (w *Writer) Add(in *pace.Inputs, d *pace.Decision) {
	if w.err != nil {
		return
	}
	g := &in.Gate
	r := record.Record{At: d.At, Edge: "simulator", Document: w.document(in, d), X: g.X, Setup: w.due.Setup(w.cfg, d.At)}
	if !math.IsInf(d.Model, 1) {
		r.Model = d.Model
	}
	r.Inputs = record.Inputs{Seconds: g.Seconds, P99: g.P99, RecentP99: g.RecentP99, Failed: g.Failed, RecentFailed: g.RecentFailed,
		Asked: g.Asked, Flight: g.Flight, After: record.NewCounts(g.Claims[:]), Ages: map[string]record.Counts{}}
	for k, name := range signal.Kinds {
		if c := record.NewCounts(g.Work[k][:]); c != nil && name != "" {
			r.Inputs.Ages[name] = c
		}
	}
	for i := range w.cfg.Resources {
		rd := &in.Resources[i]
		if rd.At.IsZero() {
			continue
		}
		told := record.Reading{Age: d.At.Sub(rd.At).Seconds(), Seconds: rd.Seconds, Busy: rd.Busy, Capacity: rd.Capacity, Waiting: rd.Waiting, Done: map[string]float64{}}
		for k, name := range signal.Kinds {
			if rd.Done[k] > 0 && name != "" {
				told.Done[name] = rd.Done[k]
			}
		}
		if r.Inputs.Readings == nil {
			r.Inputs.Readings = map[string]record.Reading{}
		}
		r.Inputs.Readings[w.cfg.Resources[i].Name] = told
	}
	if err := w.to.Encode(&r); err != nil {
		w.err = fmt.Errorf("decision log: %w", err)
	}
}

// Err is the first error.
func (w *Writer) Err() error { return w.err }

func (w *Writer) document(in *pace.Inputs, d *pace.Decision) (doc report.Document) {
	g := &in.Gate
	doc = report.Document{Room: w.room, Epoch: 1, Now: d.At, Mode: d.Mode.String(), Configured: report.Auto, Applied: d.Applied, Rate: d.Rate, InForce: d.Rate,
		Release: d.Release, Reason: w.cfg.Name(d.Reason), Sentence: w.cfg.Sentence(d), Limits: map[string]float64{},
		Pipeline: report.Pipeline{Waiting: g.Waiting, Pending: d.Pending, Inside: g.Active, Cap: in.Operator.Cap, Show: d.Show, ShowDoes: d.ShowSigma}}
	q := &doc.Quality
	q.P99, q.Errors, q.Flight, q.P99Share, q.ErrorsShare, q.LockWaitShare = g.P99, g.Failed, g.Flight, d.Latency, d.Errors, d.Locks
	for i, v := range d.Limits {
		if l := pace.Limit(i); !math.IsInf(v, 1) && (i < len(w.cfg.Resources) || l >= pace.MaxResources) {
			doc.Limits[w.cfg.Name(l)] = v
		}
	}
	if o := d.Override; o.Mode != pace.Auto {
		doc.Override = &report.Override{Mode: o.Mode.String(), Rate: o.Rate, Who: o.Who, Why: o.Why, Until: o.Until}
	}
	if s := &in.Stock; !s.At.IsZero() {
		doc.Stock = &report.Stock{State: stockName(d.Stock), Available: s.Available, Held: s.Held, Sold: s.Sold, Total: s.Total, Need: d.Need, Free: d.Seats, Age: d.At.Sub(s.At).Seconds()}
	}
	return doc
}

func stockName(s pace.StockState) string {
	switch s {
	case pace.LastSeats:
		return report.StockLastSeats
	case pace.AllHeld:
		return report.StockAllHeld
	case pace.SoldOut:
		return report.StockSoldOut
	}
	return report.StockOpen
}
