package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"math/rand/v2"
	"testing"

	"github.com/ropeline/ropeline/seatmap"
)

const stadiumSeats = 60_000

// halfSold is the map that compresses worst: which half is chance.
func halfSold() []seatmap.State {
	rng := rand.New(rand.NewPCG(1, 2))
	states := make([]seatmap.State, stadiumSeats)
	for _, i := range rng.Perm(stadiumSeats)[:stadiumSeats/2] {
		states[i] = seatmap.Sold
	}
	return states
}

func (b *bench) codec(context.Context) error {
	states := halfSold()
	from := &seatmap.Map{Version: seatmap.Version{V: 100_000, E: 1_760_000_000}, Seats: stadiumSeats, States: seatmap.Pack(states)}
	frame, err := from.AppendBinary(nil)
	if err != nil {
		return err
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write(frame); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	for _, i := range rand.New(rand.NewPCG(3, 4)).Perm(stadiumSeats)[:50] {
		states[i] = seatmap.Held
	}
	to := &seatmap.Map{Version: seatmap.Version{V: 100_050, E: 1_760_000_001}, Seats: stadiumSeats, States: seatmap.Pack(states)}
	delta, err := seatmap.Diff(from, to)
	if err != nil {
		return err
	}
	bin, err := delta.AppendBinary(nil)
	if err != nil {
		return err
	}
	b.Value("seatmap.bytes_60k", float64(len(frame)))
	b.Value("seatmap.gz_half_sold", float64(zipped.Len()))
	b.Value("seatmap.delta_bytes_50", float64(len(bin)))
	buf := make([]byte, 0, len(frame))
	for range b.runs {
		encode := testing.Benchmark(func(t *testing.B) {
			for t.Loop() {
				m := *to
				m.States = seatmap.Pack(states)
				if _, err := m.AppendBinary(buf); err != nil {
					t.Fatal(err)
				}
			}
		})
		apply := testing.Benchmark(func(t *testing.B) {
			for t.Loop() {
				m := *from
				if err := m.Apply(delta); err != nil {
					t.Fatal(err)
				}
			}
		})
		b.Value("seatmap.encode_us_60k", float64(encode.NsPerOp())/1e3)
		b.Value("seatmap.apply_delta_us", float64(apply.NsPerOp())/1e3)
	}
	b.Print("seatmap.bytes_60k", "seatmap.gz_half_sold", "seatmap.delta_bytes_50", "seatmap.encode_us_60k", "seatmap.apply_delta_us")
	return nil
}
