package line

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// write is the log's only writer.
func (l *edgeLog) write() {
	defer close(l.done)
	for first := range l.queue {
		batch := []entry{first}
		for more := true; more && len(batch) < logBatch; {
			select {
			case e, ok := <-l.queue:
				if more = ok; ok {
					batch = append(batch, e)
				}
			default:
				more = false
			}
		}
		err := l.flush(batch)
		for _, e := range batch {
			if e.synced != nil {
				e.synced <- err
			}
		}
		if err == nil && l.size > max(l.compactAt, 2*l.least) {
			l.compact()
		}
	}
}

// flush writes a batch and waits for the disk.
func (l *edgeLog) flush(batch []entry) error {
	if l.file == nil || l.err != nil {
		return l.err
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	for _, e := range batch {
		for _, r := range e.records {
			if err := enc.Encode(r); err != nil {
				l.err = fmt.Errorf("%w: %w", ErrNotLogged, err)
				return l.err
			}
		}
	}
	n, err := l.file.Write(buf.Bytes())
	if err == nil {
		err = l.file.Sync()
	}
	l.size += int64(n)
	if err != nil {
		l.err = fmt.Errorf("%w: %w", ErrNotLogged, err)
	}
	return l.err
}

// compact rewrites the log as its sum. Records that wait in the queue are in the sum already and are written
// again after it; every record can be applied twice. The old file stays until the new one is safe.
func (l *edgeLog) compact() {
	var records []record
	l.view(func(c *checkpoint) {
		c.forget()
		records = c.records()
	})
	name := filepath.Join(l.dir, logName)
	f, err := os.OpenFile(name+".new", os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return // the old file still grows; the next batch tries again
	}
	old, oldSize := l.file, l.size
	l.file, l.size = f, 0
	if l.flush([]entry{{records: records}}) != nil {
		l.file, l.size, l.err = old, oldSize, nil
		f.Close()
		return
	}
	if err := os.Rename(f.Name(), name); err != nil {
		l.file, l.size = old, oldSize
		f.Close()
		return
	}
	old.Close()
	l.least = l.size
	if err := syncDir(l.dir); err != nil {
		// Until the new name is durable a power loss brings the old file back, without what follows.
		l.err = fmt.Errorf("%w: %w", ErrNotLogged, err)
	}
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
