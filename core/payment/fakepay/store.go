package fakepay

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/ropeline/ropeline/core/payment"
)

// memory holds all payments and remembered answers. With a file every change is
// appended as one JSON line before it is answered, so that a restart, like a real
// provider's, forgets nothing.
type memory struct {
	mu       sync.Mutex
	file     *os.File
	payments map[string]*Payment
	byRef    map[string]string
	order    []string
	answers  map[string]answer // by idempotency key
	busy     map[string]bool   // keys being executed
	moves    []payment.Movement
}

// answer is a remembered response: the same key brings the same bytes.
type answer struct {
	Hash   string `json:"hash"` // of method, path and body
	Status int    `json:"status"`
	Body   []byte `json:"body"`
}

// record is one line of the file.
type record struct {
	Payment *Payment `json:"payment,omitempty"`
	Key     string   `json:"key,omitempty"`
	Answer  *answer  `json:"answer,omitempty"`

	Payout *payment.Movement `json:"payout,omitempty"`
}

func openMemory(path string) (*memory, error) {
	m := &memory{
		payments: map[string]*Payment{}, byRef: map[string]string{},
		answers: map[string]answer{}, busy: map[string]bool{},
	}
	if path == "" {
		return m, nil
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("fakepay: open data file: %w", err)
	}
	whole, err := m.load(f)
	if err == nil {
		// A crash may have left half a line; it was never answered, so it goes.
		err = errors.Join(f.Truncate(whole), seek(f, whole))
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("fakepay: read data file %s: %w", path, err)
	}
	m.file = f
	return m, nil
}

func seek(f *os.File, at int64) error {
	_, err := f.Seek(at, io.SeekStart)
	return err
}

// load replays the file and returns the length of its whole lines.
func (m *memory) load(f *os.File) (int64, error) {
	r := bufio.NewReader(f)
	var whole int64
	for line := 1; ; line++ {
		b, err := r.ReadBytes('\n')
		if err == io.EOF {
			return whole, nil
		}
		if err != nil {
			return 0, err
		}
		var rec record
		if err := json.Unmarshal(bytes.TrimSpace(b), &rec); err != nil {
			return 0, fmt.Errorf("line %d: %w (delete the file to start anew)", line, err)
		}
		whole += int64(len(b))
		m.apply(rec)
	}
}

func (m *memory) apply(rec record) {
	if p := rec.Payment; p != nil {
		if _, known := m.payments[p.ID]; !known {
			m.order = append(m.order, p.ID)
			m.byRef[p.Reference] = p.ID
		}
		m.moves = append(m.moves, moves(m.payments[p.ID], p)...)
		m.payments[p.ID] = p
	}
	if rec.Payout != nil {
		m.moves = append(m.moves, *rec.Payout)
	}
	if rec.Answer != nil {
		m.answers[rec.Key] = *rec.Answer
	}
}

// put makes rec durable, then visible. Called with mu held.
func (m *memory) put(rec record) error {
	if m.file != nil {
		b, err := json.Marshal(rec)
		if err != nil {
			return fmt.Errorf("fakepay: encode: %w", err)
		}
		if _, err := m.file.Write(append(b, '\n')); err != nil {
			return fmt.Errorf("fakepay: write data file: %w", err)
		}
	}
	m.apply(rec)
	return nil
}

func (m *memory) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.file == nil {
		return nil
	}
	err := errors.Join(m.file.Sync(), m.file.Close())
	m.file = nil
	return err
}

// get returns a copy, or nil.
func (m *memory) get(id string) *Payment {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.copyOf(id)
}

func (m *memory) copyOf(id string) *Payment {
	p := m.payments[id]
	if p == nil {
		return nil
	}
	c := *p
	return &c
}

func (m *memory) byReference(ref string) *Payment {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.copyOf(m.byRef[ref])
}

// settled is every movement so far.
func (m *memory) settled() []payment.Movement {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.moves)
}

// page lists payments after the one with id after ("" = from the beginning).
func (m *memory) page(after string, limit int) []Payment {
	m.mu.Lock()
	defer m.mu.Unlock()
	start := 0
	if after != "" {
		for i, id := range m.order {
			if id == after {
				start = i + 1
				break
			}
		}
	}
	out := []Payment{}
	for _, id := range m.order[start:] {
		if len(out) == limit {
			break
		}
		out = append(out, *m.payments[id])
	}
	return out
}
