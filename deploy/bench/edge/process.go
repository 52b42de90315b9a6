package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ropeline/ropeline/deploy/fleet"
)

// plainOrigin is an application that costs little.
func plainOrigin() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("hello from an application\n"))
	}))
}

// clockTick is USER_HZ: 100 on every Linux there is.
const clockTick = 10 * time.Millisecond

// cpu is what a process has used so far.
func cpu(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	var sum int64
	for _, f := range fields[11:13] { // utime, stime
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return time.Duration(sum) * clockTick, nil
}

// heap is what the edge's process holds after a garbage collection. Asked twice: the second collection frees what pools had kept.
func heap(ctx context.Context, e *fleet.Edge) (bytes float64, err error) {
	for range 2 {
		if bytes, err = heapOnce(ctx, e); err != nil {
			return 0, err
		}
	}
	return bytes, nil
}

func heapOnce(ctx context.Context, e *fleet.Edge) (float64, error) {
	resp, err := get(ctx, e.Admin()+"/debug/pprof/heap?debug=1&gc=1")
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	_, rest, ok := strings.Cut(string(text), "# HeapAlloc = ")
	if !ok {
		return 0, errors.New("the profile says no HeapAlloc")
	}
	n, _, _ := strings.Cut(rest, "\n")
	return strconv.ParseFloat(n, 64)
}

func get(ctx context.Context, url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err == nil && resp.StatusCode != http.StatusOK {
		_ = resp.Body.Close()
		return nil, fmt.Errorf("GET %s: %s", url, resp.Status)
	}
	return resp, err
}

// profiled records where the edge's time goes while something is measured, if -profile says so; the profile slows it a little.
func (b *bench) profiled(ctx context.Context, name string, e *fleet.Edge) (stop func()) {
	if b.profile == "" {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		seconds := max(1, b.runs*b.seconds*2)
		resp, err := get(ctx, fmt.Sprintf("%s/debug/pprof/profile?seconds=%d", e.Admin(), seconds))
		if err == nil {
			defer resp.Body.Close()
			var f *os.File
			if f, err = os.Create(filepath.Join(b.profile, name+".pprof")); err == nil {
				_, err = io.Copy(f, resp.Body)
				_ = f.Close()
			}
		}
		if err != nil {
			b.Note("no profile of %s: %v", name, err)
		}
	}()
	return func() { <-done }
}
