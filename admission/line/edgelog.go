package line

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// Limits of the edge's log.
const (
	logCompactAt = 16 << 20 // bytes after which the log is rewritten as its sum
	logQueue     = 1024     // records waiting for the disk; more wait in line
	logBatch     = 1024     // records written by one fsync at most
)

const logName = "edge.log"

// The kinds of a record.
const (
	kindEdge  = "edge"  // this edge's name
	kindGen   = "gen"   // the life of the room it has reported to
	kindEdges = "edges" // the list of edges that a merge has to hear
	kindRoom  = "room"  // slow fields of the room: phase, draw, settings
	kindFile  = "file"  // settings as the file last said them
	kindCeil  = "ceil"  // the ceiling, before it is in force
	kindTick  = "tick"  // x, room time, last entry time, seq, indexes given
	kindClean = "clean" // the embedded store was ended in order
	kindSpent = "spent" // a place, before its pass leaves
	kindBits  = "bits"  // places spent in a term: in a compacted log, or by an edge that was struck
	kindFreed = "freed" // places that a recall freed, and with it the term it began
	kindWaits = "waits" // a pick-up of another edge, about which that edge has not spoken
	kindLease = "lease" // a session's end
	kindEnded = "ended" // a session that was ended, a place given up

	kindOwners = "owners" // places of accounts, before their tickets leave
)

// record is one line of the log.
type record struct {
	Kind   string            `json:"k"`
	Epoch  int64             `json:"ep,omitempty"` // the line it is of; 0: of the edge
	N      int64             `json:"n,omitempty"`  // index, ceiling or count
	Vid    string            `json:"vid,omitempty"`
	Term   int64             `json:"term,omitempty"`
	Place  int64             `json:"place,omitempty"`
	Entry  int64             `json:"entry,omitempty"`
	End    int64             `json:"end,omitempty"`
	Hard   int64             `json:"hard,omitempty"`
	X      int64             `json:"x,omitempty"`
	RT     int64             `json:"rt,omitempty"`
	Tail   int64             `json:"tail,omitempty"`
	Seq    int64             `json:"seq,omitempty"`
	Text   string            `json:"text,omitempty"`
	Gen    string            `json:"gen,omitempty"`
	Fields map[string]string `json:"fields,omitempty"`
	Bits   []byte            `json:"bits,omitempty"`
	Other  bool              `json:"other,omitempty"` // a lease that this edge has neither given nor renewed
	Alone  int64             `json:"alone,omitempty"` // until when the edge may have renewed a lease by itself
}

// edgeLog is an append-only file of records. One goroutine writes; whatever waits when a write begins shares its
// fsync. After a failed fsync nothing more is acknowledged: what the disk holds then is unknown (a later fsync
// that succeeds proves nothing about earlier pages), and only a restart, which reads the file, can tell.
type edgeLog struct {
	dir       string
	compactAt int64 // bytes
	queue     chan entry
	done      chan struct{}

	order  sync.Mutex // held while records join the sum and the queue, so that both have one order
	closed bool

	mu  sync.Mutex // guards sum alone: the writer takes it when it compacts, with the queue perhaps full
	sum *checkpoint

	lock  *os.File
	file  *os.File // these three belong to the writer
	size  int64
	least int64 // size after the last compaction
	err   error
}

type entry struct {
	records []record
	synced  chan error // capacity 1; nil: nobody waits
}

// openLog reads the log in dir and makes it ready to append. dir "" keeps everything in memory, for tests.
func openLog(dir string) (*edgeLog, error) { return openLogCompacting(dir, logCompactAt) }

func openLogCompacting(dir string, compactAt int64) (*edgeLog, error) {
	l := &edgeLog{dir: dir, compactAt: compactAt, queue: make(chan entry, logQueue), done: make(chan struct{}), sum: newCheckpoint()}
	if dir != "" {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("log of the edge: %w", err)
		}
		lock, err := lockDir(dir)
		if err != nil {
			return nil, fmt.Errorf("log of the edge: %w", err)
		}
		f, err := os.OpenFile(filepath.Join(dir, logName), os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			lock.Close()
			return nil, fmt.Errorf("log of the edge: %w", err)
		}
		if l.size, err = l.read(f); err != nil {
			lock.Close()
			f.Close()
			return nil, err
		}
		l.lock, l.file = lock, f
	}
	go l.write()
	return l, nil
}

// read adds up the log and leaves the file at the end of its last whole record. A last line without its end was
// being written when the machine stopped, and nobody was told that it was safe: it is cut off.
func (l *edgeLog) read(f *os.File) (int64, error) {
	in := bufio.NewReaderSize(f, 1<<20)
	var whole int64
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, fmt.Errorf("log of the edge %s: %w", f.Name(), err)
		}
		var r record
		if err := json.Unmarshal(line, &r); err != nil {
			return 0, fmt.Errorf("log of the edge %s, line %d: %w (restore the file, or move it away: the room then starts a new line)", f.Name(), n, err)
		}
		l.sum.apply(r)
		whole += int64(len(line))
	}
	if err := f.Truncate(whole); err != nil {
		return 0, fmt.Errorf("log of the edge %s: %w", f.Name(), err)
	}
	_, err := f.Seek(whole, io.SeekStart)
	return whole, err
}

// append hands records to the writer and returns at once.
func (l *edgeLog) append(records ...record) { l.put(entry{records: records}) }

// sync hands records to the writer; the channel tells when they are on disk.
func (l *edgeLog) sync(records ...record) <-chan error {
	synced := make(chan error, 1)
	l.put(entry{records: records, synced: synced})
	return synced
}

func (l *edgeLog) put(e entry) {
	l.order.Lock()
	defer l.order.Unlock()
	if l.closed {
		if e.synced != nil {
			e.synced <- ErrNotLogged
		}
		return
	}
	l.mu.Lock()
	for _, r := range e.records {
		l.sum.apply(r)
	}
	l.mu.Unlock()
	l.queue <- e
}

// view lets f read the sum.
func (l *edgeLog) view(f func(*checkpoint)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f(l.sum)
}

// close writes what waits and ends the writer.
func (l *edgeLog) close() error {
	l.order.Lock()
	if l.closed {
		l.order.Unlock()
		return nil
	}
	l.closed = true
	close(l.queue)
	l.order.Unlock()
	<-l.done
	if l.file == nil {
		return nil
	}
	return errors.Join(l.err, l.file.Close(), l.lock.Close())
}
