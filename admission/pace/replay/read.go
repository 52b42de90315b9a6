package replay

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/ropeline/ropeline/admission/pace"
	"github.com/ropeline/ropeline/admission/pace/record"
	"github.com/ropeline/ropeline/admission/pace/report"
	"github.com/ropeline/ropeline/admission/pace/signal"
)

// maxLine bounds one record, as the log's own reader does.
const maxLine = 1 << 20

// Second is one decision of a log with what it was made from, as far as the log tells.
type Second struct {
	Room     string
	Epoch    int64
	Config   *pace.Config // the same pointer as long as it did not change
	Inputs   pace.Inputs
	Decision pace.Decision
}

// Reader reads a decision log second by second: it may be larger than memory. What stands before the first setup cannot be
// understood and is passed over; that is a minute at most.
type Reader struct {
	scan  *bufio.Scanner
	name  string
	line  int
	cfg   *pace.Config
	raw   []byte // of cfg
	names map[string]pace.Limit
	torn  error // of the line before, which is forgiven if it was the last
}

// NewReader reads one file; the name is said in errors.
func NewReader(r io.Reader, name string) *Reader {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 4096), maxLine)
	return &Reader{scan: s, name: name}
}

// Next fills in the next second; io.EOF is the end. A last line that was cut off by a crash is no error, any other is.
func (r *Reader) Next(s *Second) error {
	for r.scan.Scan() {
		if r.torn != nil {
			return r.torn
		}
		r.line++
		var rec record.Record
		if err := json.Unmarshal(r.scan.Bytes(), &rec); err != nil {
			r.torn = r.fault(fmt.Errorf("not a decision: %w", err))
			continue
		}
		if rec.Room == "" || rec.At.IsZero() {
			return r.fault(errors.New("not a decision: no room and no time"))
		}
		if err := r.learn(rec.Setup); err != nil {
			return r.fault(err)
		}
		if r.cfg == nil {
			continue
		}
		if err := r.second(s, &rec); err != nil {
			return r.fault(err)
		}
		return nil
	}
	if err := r.scan.Err(); err != nil {
		r.line++
		return r.fault(err)
	}
	return io.EOF
}

func (r *Reader) fault(err error) error { return fmt.Errorf("%s:%d: %w", r.name, r.line, err) }

func (r *Reader) learn(s *record.Setup) error {
	if s == nil {
		return nil
	}
	raw, err := json.Marshal(s)
	if err != nil || bytes.Equal(raw, r.raw) {
		return err
	}
	if r.cfg, err = s.Pace(); err != nil {
		return fmt.Errorf("setup: %w", err)
	}
	r.raw, r.names = raw, map[string]pace.Limit{}
	for l := range pace.Limits {
		if int(l) < len(r.cfg.Resources) || l >= pace.MaxResources {
			r.names[r.cfg.Name(l)] = l
		}
	}
	return nil
}

func (r *Reader) second(s *Second, rec *record.Record) (err error) {
	*s = Second{Room: rec.Room, Epoch: rec.Epoch, Config: r.cfg}
	if s.Decision, err = r.decision(rec); err != nil {
		return err
	}
	return inputs(&s.Inputs, rec, r.cfg, &s.Decision)
}

func (r *Reader) limit(name string) (pace.Limit, error) {
	l, ok := r.names[name]
	if !ok {
		return 0, fmt.Errorf("limit %q is none of this configuration: %v", name, slices.Sorted(maps.Keys(r.names)))
	}
	return l, nil
}

var stocks = map[string]pace.StockState{report.StockOpen: pace.Open, report.StockLastSeats: pace.LastSeats, report.StockAllHeld: pace.AllHeld, report.StockSoldOut: pace.SoldOut}

func (r *Reader) decision(rec *record.Record) (d pace.Decision, err error) {
	d = pace.Decision{
		At: rec.At, Epoch: rec.Epoch, Applied: rec.Applied, Rate: rec.Rate, Release: rec.Release, X: rec.X, Model: rec.Model,
		Show: rec.Pipeline.Show, ShowSigma: rec.Pipeline.ShowDoes, Pending: rec.Pipeline.Pending, Inside: rec.Pipeline.Inside,
		Latency: rec.Quality.P99Share, Errors: rec.Quality.ErrorsShare, Locks: rec.Quality.LockWaitShare, Back: -1,
	}
	if d.Mode, err = pace.ParseMode(rec.Mode); err != nil {
		return d, err
	}
	if d.Model == 0 {
		d.Model = math.Inf(1) // as the log writes what is not bounded
	}
	for i := range d.Limits {
		d.Limits[i] = math.Inf(1)
	}
	for name, v := range rec.Limits {
		l, err := r.limit(name)
		if err != nil {
			return d, err
		}
		d.Limits[l] = v
	}
	if d.Reason, err = r.limit(rec.Reason); err != nil {
		return d, err
	}
	if o := rec.Override; o != nil {
		mode, err := pace.ParseMode(o.Mode)
		if err != nil {
			return d, err
		}
		d.Override = pace.Override{Mode: mode, Rate: o.Rate, Who: o.Who, Why: o.Why, Until: o.Until}
	}
	if s := rec.Stock; s != nil {
		d.Stock, d.Seats, d.Need = stocks[s.State], s.Free, s.Need
	}
	return d, nil
}

func inputs(in *pace.Inputs, rec *record.Record, cfg *pace.Config, d *pace.Decision) error {
	from, g := &rec.Inputs, &in.Gate
	in.Epoch = rec.Epoch
	*g = pace.Gate{Seconds: from.Seconds, X: rec.X, Waiting: rec.Pipeline.Waiting, Active: rec.Pipeline.Inside, Flight: from.Flight, P99: from.P99,
		Failed: from.Failed, RecentP99: from.RecentP99, RecentFailed: from.RecentFailed, Asked: from.Asked, Away: d.Reason == pace.ByStore}
	if err := from.After.Into(g.Claims[:]); err != nil {
		return fmt.Errorf("claims_after: %w", err)
	}
	for k, name := range signal.Kinds {
		if err := from.Ages[name].Into(g.Work[k][:]); err != nil {
			return fmt.Errorf("requests_at.%s: %w", name, err)
		}
	}
	for i := range cfg.Resources {
		told, ok := from.Readings[cfg.Resources[i].Name]
		if !ok {
			continue
		}
		rd := &in.Resources[i]
		*rd = pace.Reading{At: ago(rec.At, told.Age), Seconds: told.Seconds, Busy: told.Busy, Capacity: told.Capacity, Waiting: told.Waiting}
		for k, name := range signal.Kinds {
			if name != "" {
				rd.Done[k] = told.Done[name]
			}
		}
	}
	if s := rec.Stock; s != nil {
		in.Stock = pace.Stock{At: ago(rec.At, s.Age), Available: s.Available, Held: s.Held, Sold: s.Sold, Total: s.Total}
	}
	in.Operator.Override = d.Override
	if c := rec.Pipeline.Cap; c > 0 && c < unlimitedCap {
		in.Operator.Cap = int64(c)
	}
	return nil
}

// unlimitedCap is the largest cap that a room can have, which is none.
const unlimitedCap = 10_000_000

func ago(at time.Time, seconds float64) time.Time {
	return at.Add(-time.Duration(seconds * float64(time.Second)))
}
