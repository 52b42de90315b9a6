package history

import (
	"encoding/json"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/ropeline/ropeline/loadtest/linefile"
)

// Writer appends entries to a file. It may be used by many goroutines at once.
// The first error of the file is kept and returned by Close: a history with a
// hole must not be judged as if it were whole.
type Writer struct {
	start time.Time
	next  atomic.Int64
	file  *linefile.File
}

// Create begins a new history at path and replaces what was there.
func Create(path string) (*Writer, error) {
	file, err := linefile.Create("history", path)
	if err != nil {
		return nil, err
	}
	return &Writer{start: time.Now(), file: file}, nil
}

// Operation is one that has begun and not ended.
type Operation struct {
	w      *Writer
	op     int64
	client int
	f      string
}

// Begin writes the invoke line. It comes before the first byte is sent, so that
// an effect never precedes its cause in the history.
func (w *Writer) Begin(client int, f string, args any) Operation {
	o := Operation{w: w, op: w.next.Add(1), client: client, f: f}
	w.write(Entry{Op: o.op, Client: client, Type: Invoke, F: f}, args, nil)
	return o
}

// End writes how the operation ended.
func (o Operation) End(how Type, result any) {
	o.w.write(Entry{Op: o.op, Client: o.client, Type: how, F: o.f}, nil, result)
}

func (w *Writer) write(e Entry, args, result any) {
	line, err := encode(&e, args, result, w.start)
	if err != nil {
		err = fmt.Errorf("operation %d: %w", e.Op, err)
	}
	w.file.Write(line, err)
}

func encode(e *Entry, args, result any, start time.Time) ([]byte, error) {
	var err error
	if args != nil {
		if e.Args, err = json.Marshal(args); err != nil {
			return nil, err
		}
	}
	if result != nil {
		if e.Result, err = json.Marshal(result); err != nil {
			return nil, err
		}
	}
	now := time.Now()
	e.Mono, e.Wall = int64(now.Sub(start)), now.UTC()
	return json.Marshal(e)
}

// Close writes what is still held, syncs the file and returns the first error
// there was.
func (w *Writer) Close() error { return w.file.Close() }
