package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"github.com/ropeline/ropeline/seatmap"
)

const (
	holds   = 160
	buyers  = 8 // at once
	looking = 50 * time.Millisecond
)

// fresh: from the answer to a hold until a reader behind Varnish is shown it.
func (b *bench) fresh(ctx context.Context, s *shop) error {
	client := &http.Client{Timeout: 30 * time.Second}
	do := func(method, url, token string, in any) ([]byte, error) {
		body, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", uuid.NewString())
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := client.Do(req)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		answer, err := io.ReadAll(resp.Body)
		if err == nil && resp.StatusCode/100 != 2 {
			err = fmt.Errorf("%s %s: %s: %.200s", method, url, resp.Status, answer)
		}
		return answer, err
	}
	look := func() (*seatmap.Map, error) {
		frame, err := do(http.MethodGet, "http://"+s.cached+"/v1/events/night-of-lights/seats.bin", "", nil)
		if err != nil {
			return nil, err
		}
		return seatmap.DecodeMap(frame)
	}
	once := func(i int) (time.Duration, error) {
		var signedIn struct{ Token string }
		answer, err := do(http.MethodPost, s.BookingURL()+"/dev/token", "", map[string]string{"email": fmt.Sprintf("fresh-%d@example.com", i)})
		if err == nil {
			err = json.Unmarshal(answer, &signedIn)
		}
		if err != nil {
			return 0, err
		}
		seat := 1 + i*37
		if _, err := do(http.MethodPost, s.BookingURL()+"/v1/events/night-of-lights/holds", signedIn.Token, map[string]any{"seats": []int{seat}}); err != nil {
			return 0, err
		}
		begin := time.Now()
		for {
			m, err := look()
			if err != nil {
				return 0, err
			}
			if seatmap.At(m.States, seat) == seatmap.Held {
				return time.Since(begin), nil
			}
			time.Sleep(looking)
		}
	}
	waits := make([]float64, holds)
	var g errgroup.Group
	g.SetLimit(buyers)
	for i := range holds {
		g.Go(func() error {
			time.Sleep(time.Duration(i%7) * 130 * time.Millisecond) // at every phase of the second
			took, err := once(i)
			waits[i] = took.Seconds()
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	slices.Sort(waits)
	b.Note("%d holds, median %.2f s, longest %.2f s", holds, waits[holds/2], waits[holds-1])
	b.Value("seatmap.freshness_p99_s", waits[holds*99/100])
	b.Print("seatmap.freshness_p99_s")
	return nil
}
