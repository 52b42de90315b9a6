package logbook

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ropeline/ropeline/admission/pace"
)

// maxLine is the longest line that is read: ten times a busy second.
const maxLine = 64 << 10

// Writer appends decisions. It is not for several goroutines at once.
type Writer struct {
	to   io.Writer
	room string
	cfg  *pace.Config // written last
	buf  bytes.Buffer
}

// NewWriter writes to a file that is new or was begun by an earlier Writer: the configuration is written again.
func NewWriter(to io.Writer, room string) *Writer { return &Writer{to: to, room: room} }

// Add writes one second; the line is whole or, after an error, part of it.
func (w *Writer) Add(cfg *pace.Config, in *pace.Inputs, d *pace.Decision) error {
	w.buf.Reset()
	e := json.NewEncoder(&w.buf)
	if cfg != w.cfg {
		if err := e.Encode(Entry{Room: w.room, At: d.At, Config: newConfig(cfg)}); err != nil {
			return fmt.Errorf("decision log: %w", err)
		}
	}
	if err := e.Encode(Entry{Room: w.room, At: d.At, Second: newSecond(cfg, in, d)}); err != nil {
		return fmt.Errorf("decision log: %w", err)
	}
	if _, err := w.to.Write(w.buf.Bytes()); err != nil {
		return fmt.Errorf("decision log: %w", err)
	}
	w.cfg = cfg
	return nil
}

// Record is one second read back.
type Record struct {
	Room     string
	At       time.Time
	Config   *pace.Config // the same pointer as long as it did not change
	Inputs   pace.Inputs
	Decision pace.Decision
}

// Reader reads decisions line by line: a log may be larger than memory.
type Reader struct {
	scan *bufio.Scanner
	name string
	line int
	cfg  *pace.Config
	raw  []byte // of cfg
	torn error  // of the line before, which is forgiven if it was the last
}

// NewReader reads a log; the name is said in errors.
func NewReader(r io.Reader, name string) *Reader {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 4096), maxLine)
	return &Reader{scan: s, name: name}
}

// Next fills in the next second; io.EOF is the end. A last line that was cut off by a crash is no error, any other is.
func (r *Reader) Next(rec *Record) error {
	for r.scan.Scan() {
		if r.torn != nil {
			return r.torn
		}
		r.line++
		var e Entry
		if err := json.Unmarshal(r.scan.Bytes(), &e); err != nil {
			r.torn = r.fault(fmt.Errorf("not a decision: %w", err))
			continue
		}
		if e.Config != nil {
			cfg, err := e.Config.config()
			if err != nil {
				return r.fault(err)
			}
			if raw, err := json.Marshal(e.Config); err != nil || r.cfg == nil || !bytes.Equal(raw, r.raw) {
				r.cfg, r.raw = cfg, raw
			}
			continue
		}
		if e.Second == nil {
			return r.fault(errors.New("neither a configuration nor a decision"))
		}
		if r.cfg == nil {
			return r.fault(errors.New("a decision before any configuration: give the file from its beginning"))
		}
		return r.fill(rec, &e)
	}
	if err := r.scan.Err(); err != nil {
		r.line++
		return r.fault(err)
	}
	return io.EOF
}

func (r *Reader) fill(rec *Record, e *Entry) (err error) {
	rec.Room, rec.At, rec.Config = e.Room, e.At, r.cfg
	if rec.Decision, err = e.decision(r.cfg, e.At); err != nil {
		return r.fault(err)
	}
	if rec.Inputs, err = e.Inputs.inputs(r.cfg, e.Epoch); err != nil {
		return r.fault(err)
	}
	return nil
}

func (r *Reader) fault(err error) error { return fmt.Errorf("%s:%d: %w", r.name, r.line, err) }
