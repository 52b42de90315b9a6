package main

import (
	"context"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ropeline/ropeline/admission/lottery"
)

// What verify times is a draw that holds.
func TestTheDrawHolds(t *testing.T) {
	_, list, err := draw(t.TempDir(), 1000)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(list)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if leaves, err := lottery.ReadList(f); err != nil || len(leaves) != 1000 {
		t.Errorf("%d leaves, %v", len(leaves), err)
	}
}

func TestFlags(t *testing.T) {
	for args, want := range map[string]string{"-only holds": "not one of", "-seconds 0": "positive", "-people 5": "10,000", "more": "no other words"} {
		if _, err := parse(strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
	if o, err := parse(strings.Fields("-only size,loss -people 20000")); err != nil || !o.only["size"] || o.people != 20_000 {
		t.Errorf("%+v %v", o, err)
	}
}

// Every one is called, and the first error is what comes back.
func TestEach(t *testing.T) {
	var n atomic.Int64
	err := each(100, 7, func(i int) error {
		n.Add(1)
		if i == 3 {
			return context.DeadlineExceeded
		}
		return nil
	})
	if n.Load() != 100 || err != context.DeadlineExceeded {
		t.Errorf("%d calls, %v", n.Load(), err)
	}
}
