package main

import (
	"context"
	"fmt"
	"os"
	"runtime/pprof"
	"time"
)

// batchOf is the number of holds in one transaction of batch.sql.
const batchOf = 100

// section measures some figures that belong together, once.
type section struct {
	name    string
	figures []string
	run     func(*bench, context.Context, int) error
}

var sections = []section{
	{"engine", []string{"holds.engine_vs_one_by_one"}, (*bench).againstOneByOne},
	{"ceiling", []string{"holds.ceiling_vs_one_by_one"}, (*bench).ceiling},
	{"http", []string{"holds.http_vs_one_by_one", "holds.p99_ms", "holds.two_processes_vs_one"}, (*bench).throughHTTP},
	{"contended", []string{"holds.contended_vs_spread"}, (*bench).contended},
	{"ga", []string{"holds.ga_per_s_vs_row_lock", "holds.ga_buckets_vs_row_lock"}, (*bench).generalAdmission},
	{"refused", []string{"holds.refused_ms_p99"}, (*bench).refusals},
	{"scale", []string{"holds.scale_60k_vs_1k"}, (*bench).scale},
	{"events", []string{"holds.3000_events_vs_one"}, (*bench).manyEvents},
}

// all runs the chosen sections, each as often as asked, and prints a section's figures when it is done.
func (b *bench) all(ctx context.Context) error {
	if b.profile != "" {
		f, err := os.Create(b.profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	for _, s := range sections {
		if len(b.only) > 0 && !b.only[s.name] {
			continue
		}
		for n := range b.runs {
			if err := s.run(b, ctx, n); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
		b.Print(s.figures...)
	}
	return nil
}

func (b *bench) againstOneByOne(ctx context.Context, _ int) error {
	ref, err := b.theirs(ctx, "one_by_one.sql")
	if err != nil {
		return err
	}
	t, err := b.ours(ctx, "engine, 60,000 seats", walk("arena", arenaSeats), b.inFlight)
	b.Ratio("holds.engine_vs_one_by_one", t.perSecond(), ref)
	return err
}

// ceiling: the reference's rows, a hundred holds to a transaction and on seats side by side, with nobody who decides
// anything: what this machine's PostgreSQL could do at best, and what the other ratios are to be read against.
func (b *bench) ceiling(ctx context.Context, _ int) error {
	one, err := b.theirs(ctx, "one_by_one.sql")
	if err != nil {
		return err
	}
	batches, err := b.ref.measure(ctx, "batch.sql", []int{1, 2})
	if err != nil {
		return err
	}
	b.Note("batch.sql: %.0f holds/s with %d clients", batches*batchOf, b.ref.best["batch.sql"])
	b.Ratio("holds.ceiling_vs_one_by_one", batches*batchOf, one)
	return nil
}

// contended: everybody wants one of a thousand seats, against a seat of one's own among 60,000. A refusal is a decision.
func (b *bench) contended(ctx context.Context, _ int) error {
	spread, err := b.ours(ctx, "60,000 seats", walk("arena", arenaSeats), b.inFlight)
	if err != nil {
		return err
	}
	t, err := b.ours(ctx, "all want the same 1,000 seats", crowdOn("club", clubSeats), b.inFlight)
	b.Ratio("holds.contended_vs_spread", t.decided(), spread.decided())
	return err
}

func (b *bench) generalAdmission(ctx context.Context, n int) error {
	row, err := b.theirs(ctx, "area_row.sql")
	if err != nil {
		return err
	}
	buckets, err := b.theirs(ctx, "area_buckets.sql")
	if err != nil {
		return err
	}
	t, err := b.ours(ctx, "one area", area("field"), b.inFlight)
	if err != nil {
		return err
	}
	b.Ratio("holds.ga_per_s_vs_row_lock", t.perSecond(), row)
	b.Ratio("holds.ga_buckets_vs_row_lock", buckets, row)
	return b.soldOut(ctx, fmt.Sprintf("field-%d", n+1))
}

// soldOut asks for an area until nothing is left, and then counts.
func (b *bench) soldOut(ctx context.Context, slug string) error {
	if _, err := b.owner.Exec(ctx, sqlArea, slug, gaExact, lasting); err != nil {
		return fmt.Errorf("make %s: %w", slug, err)
	}
	for {
		t := drive(ctx, load{window: time.Second}, times(b.inFlight, inProcess(ctx, b.engine, area(slug))))
		if err := t.sound(slug); err != nil {
			return err
		}
		if t.committed == 0 {
			break
		}
	}
	var counted, lines int
	if err := b.owner.QueryRow(ctx, sqlTaken, slug).Scan(&counted, &lines); err != nil {
		return err
	}
	if counted != gaExact || lines != gaExact {
		return fmt.Errorf("%s has %d places: the counter says %d are taken, its lines %d", slug, gaExact, counted, lines)
	}
	b.Note("%s: %d places, exactly %d taken", slug, gaExact, counted)
	return nil
}

// scale compares halls of 60,000 and of 1,000 seats. What is held lapses at once in both: in the small one every seat is
// wanted again before half a second is over. Fewer at a time than the small one has pairs, so that nobody is refused.
func (b *bench) scale(ctx context.Context, _ int) error {
	inFlight := min(b.inFlight, clubSeats/4)
	large, err := b.ours(ctx, "60,000 seats, lapsing at once", walk("arena-brief", arenaSeats), inFlight)
	if err != nil {
		return err
	}
	small, err := b.ours(ctx, "1,000 seats, lapsing at once", walk("club-brief", clubSeats), inFlight)
	b.Ratio("holds.scale_60k_vs_1k", large.perSecond(), small.perSecond())
	return err
}

func (b *bench) manyEvents(ctx context.Context, _ int) error {
	slugs := tripSlugs()
	for _, s := range slugs { // a process looks an event's number up once
		if _, err := b.engine.EventID(ctx, s); err != nil {
			return err
		}
	}
	one, err := b.ours(ctx, "one event", walk("arena", arenaSeats), b.inFlight)
	if err != nil {
		return err
	}
	many, err := b.ours(ctx, "3,000 events of 40 seats", overTrips(slugs), b.inFlight)
	b.Ratio("holds.3000_events_vs_one", many.perSecond(), one.perSecond())
	return err
}
