package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/ropeline/ropeline/deploy/bench/bare"
	"github.com/ropeline/ropeline/deploy/bench/drive"
)

const (
	warm      = 500 * time.Millisecond
	readsTen  = 5_000 // map reads a second of the database's section
	readsMany = 3_000 // of the section with three thousand events
)

func sumOf(r io.Reader, words ...string) (sum float64, err error) {
	lines := bufio.NewScanner(r)
next:
	for lines.Scan() {
		for _, w := range words {
			if !strings.Contains(lines.Text(), w) {
				continue next
			}
		}
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		v, err := strconv.ParseFloat(lines.Text()[strings.LastIndexByte(lines.Text(), ' ')+1:], 64)
		if err != nil {
			return 0, fmt.Errorf("metric %q: %w", lines.Text(), err)
		}
		sum += v
	}
	return sum, lines.Err()
}

func mapOf(event string) []byte { return drive.Request("GET", "/v1/events/"+event+"/seats.bin", "") }

// serve: the same bytes from bookingd and from bare Caddy. It is the JSON form, since what Caddy responds with is text.
func (b *bench) serve(ctx context.Context, s *shop) error {
	request := drive.Request("GET", "/v1/events/night-1/seats", "")
	status, body, err := drive.Once(s.booking(), request)
	if err != nil || status != 200 {
		return fmt.Errorf("a map: status %d, %w", status, errors.Join(err))
	}
	other, addresses, err := bare.Start(ctx, filepath.Join(s.bin, "ropeline"), filepath.Join(s.dir, "bare"), bare.Respond(200, body))
	if err != nil {
		return err
	}
	defer func() { _ = other.Stop() }()
	if _, theirs, err := drive.Once(addresses[0], request); err != nil || string(theirs) != string(body) {
		return fmt.Errorf("bare Caddy answers other bytes (%d instead of %d, %v)", len(theirs), len(body), err)
	}
	for range b.runs {
		var rates [2]float64
		for i, address := range []string{s.booking(), addresses[0]} {
			t, err := drive.Run(ctx, drive.Load{Address: address, Connections: b.connections, Warm: warm, Window: b.window(), Want: 200, Request: func(int64) []byte { return request }})
			if err != nil {
				return err
			}
			rates[i] = t.PerSecond()
		}
		b.Ratio("seatmap.serve_vs_caddy_respond", rates[0], rates[1])
	}
	b.Note("%d bytes over %d connections", len(body), b.connections)
	b.Print("seatmap.serve_vs_caddy_respond")
	return nil
}

// behind: ten events as fast as the client can, and what of it reaches bookingd.
func (b *bench) behind(ctx context.Context, s *shop) error {
	var requests [stadiums][]byte
	for i := range requests {
		requests[i] = mapOf(fmt.Sprintf("night-%d", i+1))
	}
	for range b.runs {
		client, backend, err := b.through(ctx, s, 0, func(n int64) []byte { return requests[n%stadiums] })
		if err != nil {
			return err
		}
		b.Note("%.0f requests a second at Varnish", client)
		b.Value("seatmap.backend_rps", backend)
	}
	b.Print("seatmap.backend_rps")
	return nil
}

// many: maps of three thousand trips, some much more wanted than others, and a search in ten.
func (b *bench) many(ctx context.Context, s *shop) error {
	requests := make([][]byte, trips)
	for i := range requests {
		requests[i] = mapOf(fmt.Sprintf("trip-%d", i+1))
	}
	search := drive.Request("GET", "/v1/events?q=trip", "")
	popular := rand.NewZipf(rand.New(rand.NewPCG(5, 6)), 1.1, 10, trips-1)
	order := make([]uint64, 1<<16)
	for i := range order {
		order[i] = popular.Uint64()
	}
	for range b.runs {
		client, backend, err := b.through(ctx, s, readsMany, func(n int64) []byte {
			if n%10 == 9 {
				return search
			}
			return requests[order[n%int64(len(order))]]
		})
		if err != nil {
			return err
		}
		b.Note("%.0f requests a second at Varnish, Zipf 1.1 over %d events whose maps live 5 s, one in ten a search", client, trips)
		b.Value("seatmap.backend_rps_3000_events", backend)
	}
	b.Print("seatmap.backend_rps_3000_events")
	return nil
}

// through drives Varnish and says how much of it came through to bookingd.
func (b *bench) through(ctx context.Context, s *shop, rate float64, request func(int64) []byte) (client, backend float64, err error) {
	// What everybody asks for the first time comes through once; that is not the state to be measured.
	if _, err := drive.Run(ctx, drive.Load{Address: s.cached, Connections: b.connections, Window: 3 * time.Second, Rate: rate, Want: 200, Request: request}); err != nil {
		return 0, 0, err
	}
	before, err := s.counted(ctx, "requests_total{")
	if err != nil {
		return 0, 0, err
	}
	begin := time.Now()
	t, err := drive.Run(ctx, drive.Load{Address: s.cached, Connections: b.connections, Window: b.window(), Rate: rate, Want: 200, Request: request})
	if err != nil {
		return 0, 0, err
	}
	took := time.Since(begin)
	after, err := s.counted(ctx, "requests_total{")
	return t.PerSecond(), (after - before) / took.Seconds(), err
}

// database: what reaches PostgreSQL while bookingd is asked directly.
func (b *bench) database(ctx context.Context, s *shop) error {
	var requests [stadiums][]byte
	for i := range requests {
		requests[i] = mapOf(fmt.Sprintf("night-%d", i+1))
	}
	for range b.runs {
		before, err := s.counted(ctx, "ropeline_maps_", "_total ")
		if err != nil {
			return err
		}
		begin := time.Now()
		t, err := drive.Run(ctx, drive.Load{Address: s.booking(), Connections: b.connections, Window: b.window(), Rate: readsTen, Want: 200, Request: func(n int64) []byte { return requests[n%stadiums] }})
		if err != nil {
			return err
		}
		took := time.Since(begin)
		after, err := s.counted(ctx, "ropeline_maps_", "_total ")
		if err != nil {
			return err
		}
		b.Note("%.0f map reads a second of %d events", t.PerSecond(), stadiums)
		// A round is two statements where nothing changed.
		b.Value("seatmap.db_reads_per_s", 2*(after-before)/took.Seconds()/stadiums)
	}
	b.Note("statements a second and event")
	b.Print("seatmap.db_reads_per_s")
	return nil
}
