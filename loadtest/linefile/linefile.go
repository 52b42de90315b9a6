// Package linefile writes the evidence of a sale: one JSON value a line, held in memory and flushed each second.
package linefile

import (
	"bufio"
	"fmt"
	"os"
	"sync"
	"time"
)

const (
	writeBuffer = 1 << 20     // bytes held before they go to the file
	flushEvery  = time.Second // what a killed program may lose
)

// File is a file of lines. It may be used by many goroutines at once.
// The first error is kept and returned by Close: evidence with a hole must not
// be judged as if it were whole.
type File struct {
	name string // of the evidence, in errors

	mu   sync.Mutex
	file *os.File
	buf  *bufio.Writer
	err  error

	stop chan struct{}
	done chan struct{}
}

// Create begins a new file at path and replaces what was there. The name says in errors which evidence it is.
func Create(name, path string) (*File, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f := &File{
		name: name, file: file, buf: bufio.NewWriterSize(file, writeBuffer),
		stop: make(chan struct{}), done: make(chan struct{}),
	}
	go f.flushLoop()
	return f, nil
}

// Write appends one line, without its end. encodeErr is the error of making it, and is kept like one of writing it.
func (f *File) Write(line []byte, encodeErr error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := encodeErr
	if err == nil {
		_, err = f.buf.Write(append(line, '\n'))
	}
	f.keep(err)
}

// keep remembers the first error; f.mu is held, or nobody else is left.
func (f *File) keep(err error) {
	if err != nil && f.err == nil {
		f.err = fmt.Errorf("%s: %w", f.name, err)
	}
}

func (f *File) flushLoop() {
	defer close(f.done)
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			f.flush()
		case <-f.stop:
			return
		}
	}
}

func (f *File) flush() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keep(f.buf.Flush())
}

// Close writes what is still held, syncs the file and returns the first error there was. Writers must have stopped.
func (f *File) Close() error {
	close(f.stop)
	<-f.done
	f.flush()
	f.keep(f.file.Sync())
	f.keep(f.file.Close())
	return f.err
}
