package history

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const (
	writeBuffer = 1 << 20     // bytes held before they go to the file
	flushEvery  = time.Second // what a killed load program may lose
)

// Writer appends entries to a file. It may be used by many goroutines at once.
// The first error of the file is kept and returned by Close: a history with a
// hole must not be judged as if it were whole.
type Writer struct {
	start time.Time
	next  atomic.Int64

	mu   sync.Mutex
	file *os.File
	buf  *bufio.Writer
	err  error

	stop chan struct{}
	done chan struct{}
}

// Create begins a new history at path and replaces what was there.
func Create(path string) (*Writer, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	w := &Writer{
		start: time.Now(), file: file, buf: bufio.NewWriterSize(file, writeBuffer),
		stop: make(chan struct{}), done: make(chan struct{}),
	}
	go w.flushLoop()
	return w, nil
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
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil {
		_, err = w.buf.Write(line)
	}
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("history: write operation %d: %w", e.Op, err)
	}
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
	line, err := json.Marshal(e)
	return append(line, '\n'), err
}

func (w *Writer) flushLoop() {
	defer close(w.done)
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			w.flush()
		case <-w.stop:
			return
		}
	}
}

func (w *Writer) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.buf.Flush(); err != nil && w.err == nil {
		w.err = fmt.Errorf("history: %w", err)
	}
}

// Close writes what is still held, syncs the file and returns the first error
// there was.
func (w *Writer) Close() error {
	close(w.stop)
	<-w.done
	w.flush()
	if err := w.file.Sync(); err != nil && w.err == nil {
		w.err = fmt.Errorf("history: %w", err)
	}
	if err := w.file.Close(); err != nil && w.err == nil {
		w.err = fmt.Errorf("history: %w", err)
	}
	return w.err
}
