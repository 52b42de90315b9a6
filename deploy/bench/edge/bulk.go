package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/ropeline/ropeline/admission"
	"github.com/ropeline/ropeline/admission/line"
	"github.com/ropeline/ropeline/admission/lottery"
	"github.com/ropeline/ropeline/deploy/bench/drive"
	"github.com/ropeline/ropeline/deploy/fleet"
)

// bulk is one more edge of the room, inside this process: it gives places by the hundred thousand, which over HTTP would
// take longer than all that is measured. It has the same keys, so every edge takes its tickets and passes.
type bulk struct {
	room *line.Room
	ring *admission.Keyring
}

func newBulk(ctx context.Context, store, keys, dir string, s line.Settings) (*bulk, error) {
	ring, err := admission.LoadKeys(keys)
	if err != nil {
		return nil, err
	}
	st, err := line.Open(line.Options{URL: store})
	if err != nil {
		return nil, err
	}
	room, err := st.Room(line.Config{Name: fleet.Room, Settings: s, Dir: dir, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Lottery: line.Lottery{Root: lottery.Root, Seed: lottery.Seed,
			Secret: func(room string, epoch int64, opensAt time.Time) [32]byte { return [32]byte{1} }, // there is no draw here
			Place:  func(seed [32]byte, n int64) func(int64) int64 { return lottery.NewPerm(seed, n).Place }}})
	if err != nil {
		return nil, err
	}
	return &bulk{room, ring}, room.Start(ctx)
}

// joiners is how many ask at once: some batches' worth.
const joiners = 1024

// join gives n people a place and returns their tickets, unsigned.
func (b *bulk) join(ctx context.Context, n int) ([]admission.Ticket, error) {
	out := make([]admission.Ticket, n)
	err := each(n, joiners, func(i int) error {
		vid := admission.NewVID()
		for {
			j, err := b.room.Join(ctx, string(vid), "")
			if errors.Is(err, line.ErrRetry) && ctx.Err() == nil {
				continue // the ceiling is being raised
			}
			if err != nil {
				return err
			}
			out[i] = admission.Ticket{Room: fleet.Room, Epoch: j.Epoch, VID: vid, Index: j.Index, IssuedAt: j.IssuedAt}
			return nil
		}
	})
	return out, err
}

// enter lets all of them in and returns their passes.
func (b *bulk) enter(ctx context.Context, people []admission.Ticket) ([]string, error) {
	out := make([]string, len(people))
	err := each(len(people), joiners, func(i int) error {
		t := people[i]
		for {
			a, err := b.room.Enter(ctx, line.Visitor{ID: string(t.VID), Index: t.Index})
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil && !errors.Is(err, line.ErrRetry):
				return err
			case a.Standing != line.In:
				time.Sleep(100 * time.Millisecond) // as a page would
				continue
			}
			raw, err := b.ring.SignPass(admission.Pass{Room: fleet.Room, VID: t.VID, Epoch: a.Epoch, Term: a.Term, Place: max(0, a.Place), IssuedAt: a.Now,
				NotBefore: a.Entry, Hard: a.HardEnd, Expires: a.Now.Add(min(admission.PassLife, a.LeaseEnd.Sub(a.Now)))})
			out[i] = raw
			return err
		}
	})
	return out, err
}

// tickets signs them.
func (b *bulk) tickets(people []admission.Ticket) ([]string, error) {
	out := make([]string, len(people))
	return out, each(len(people), 2, func(i int) (err error) {
		out[i], err = b.ring.SignTicket(people[i])
		return err
	})
}

// each calls f for 0 to n-1 from some goroutines, and returns the first error.
func each(n, at int, f func(int) error) error {
	var all sync.WaitGroup
	next, failed := make(chan int), make(chan error, at)
	for range at {
		all.Go(func() {
			for i := range next {
				if err := f(i); err != nil {
					select {
					case failed <- err:
					default:
					}
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

func cookie(name, value string) string { return "Cookie: " + name + "=" + value + "\r\n" }

// heartbeats are the requests of waiting pages.
func heartbeats(tickets []string) [][]byte {
	out := make([][]byte, len(tickets))
	for i, t := range tickets {
		out[i] = drive.Request(http.MethodPost, fleet.Reserved+"heartbeat", cookie("rl-t-"+fleet.Room, t))
	}
	return out
}

func inTurn(requests [][]byte) func(int64) []byte {
	return func(n int64) []byte { return requests[n%int64(len(requests))] }
}
