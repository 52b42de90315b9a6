package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Bounds of a log: together 256 MiB, a day of decisions in a quiet room and twelve hours in a busy one.
const (
	FileBytes = 16 << 20
	Files     = 16
)

// Log is one room's file with the older ones beside it: <path>, <path>.1 (newer) to <path>.15 (oldest).
type Log struct {
	path  string
	bytes int64
	files int

	mu   sync.Mutex
	file *os.File
	size int64
}

// NewLog opens nothing yet: a file is made with its first record.
func NewLog(path string) *Log { return &Log{path: path, bytes: FileBytes, files: Files} }

// Path is the newest file's.
func (l *Log) Path() string { return l.path }

// Write appends one record.
func (l *Log) Write(r *Record) error {
	b, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("decision log: %w", err)
	}
	b = append(b, '\n')
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.open(); err != nil {
		return fmt.Errorf("decision log: %w", err)
	}
	if l.size > 0 && l.size+int64(len(b)) > l.bytes {
		if err := l.rotate(); err != nil {
			return fmt.Errorf("decision log: %w", err)
		}
	}
	n, err := l.file.Write(b)
	l.size += int64(n)
	if err != nil {
		return fmt.Errorf("decision log: %w", err)
	}
	return nil
}

func (l *Log) open() error {
	if l.file != nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o750); err != nil {
		return err
	}
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o640)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > 0 {
		// A crash may have cut the last line. It gets its end, so that the next one is whole.
		last := make([]byte, 1)
		if _, err = f.ReadAt(last, info.Size()-1); err == nil && last[0] != '\n' {
			_, err = f.Write([]byte("\n"))
		}
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.file, l.size = f, info.Size()
	return nil
}

func (l *Log) rotate() error {
	if err := l.file.Close(); err != nil {
		return err
	}
	l.file = nil
	for i := l.files - 2; i >= 0; i-- {
		if err := os.Rename(l.old(i), l.old(i+1)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return l.open()
}

func (l *Log) old(i int) string {
	if i == 0 {
		return l.path
	}
	return fmt.Sprintf("%s.%d", l.path, i)
}

// Close lets the file go; a later record opens it again.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	f := l.file
	l.file = nil
	return f.Close()
}
