package linefile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestLinesOfManyWritersAreWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lines")
	f, err := Create("evidence", path)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() { f.Write([]byte(fmt.Sprintf("line %02d", i)), nil) })
	}
	wg.Wait()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		seen[line] = true
	}
	for i := range 50 {
		if !seen[fmt.Sprintf("line %02d\n", i)] {
			t.Errorf("line %d is not whole", i)
		}
	}
}

func TestTheFirstErrorIsKept(t *testing.T) {
	f, err := Create("evidence", filepath.Join(t.TempDir(), "lines"))
	if err != nil {
		t.Fatal(err)
	}
	first := errors.New("cannot be encoded")
	f.Write(nil, first)
	f.Write([]byte("later"), nil)
	f.Write(nil, errors.New("another"))
	if err := f.Close(); !errors.Is(err, first) {
		t.Errorf("Close says %v", err)
	}
	if _, err := Create("evidence", filepath.Join(t.TempDir(), "no", "such")); err == nil || !strings.HasPrefix(err.Error(), "evidence: ") {
		t.Errorf("no folder: %v", err)
	}
}
