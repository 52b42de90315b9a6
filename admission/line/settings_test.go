package line

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// Half an entry a second is one in two seconds, and the error says so in words that are read again.
func TestARateInPartsOfAnEntryNamesTheWholeOne(t *testing.T) {
	for text, cure := range map[string]string{"0.5/s": "1/2s", "2.5/s": "5/2s", "0.25/min": "1/4m", "0.3/s": "3/10s", "1.50/10s": "3/20s"} {
		_, err := ParseRate(text)
		if err == nil || !strings.Contains(err.Error(), "this one is "+cure+" (") {
			t.Errorf("%s: %v, want %s", text, err, cure)
		}
		if _, err := ParseRate(cure); err != nil {
			t.Errorf("the cure %s is refused: %v", cure, err)
		}
	}
	for _, text := range []string{"0.0/s", "-0.5/s", ".x/s", "0.5/x"} {
		if _, err := ParseRate(text); err == nil || !strings.Contains(err.Error(), "for example 20/s") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestParseRate(t *testing.T) {
	for text, want := range map[string]struct {
		gap int64
		out string
	}{
		"20/s": {50_000, "20/s"}, "2000/min": {30_000, "2000/min"}, "1000/10s": {10_000, "1000/10s"}, "3/s": {333_334, "3/s"},
		"100/h": {36_000_000, "100/h"}, "0": {0, "0"}, "0/s": {0, "0"}, "1/5min": {300_000_000, "1/5m0s"}, "1000000/s": {1, "1000000/s"},
	} {
		r, err := ParseRate(text)
		if err != nil || r.Gap() != want.gap || r.String() != want.out {
			t.Errorf("%s: gap %d, %s, %v", text, r.Gap(), r, err)
		}
		if again, err := ParseRate(r.String()); err != nil || again.Gap() != r.Gap() {
			t.Errorf("%s is written as %s, which reads as %v, %v", text, r, again, err)
		}
	}
	for _, text := range []string{"", "20", "20/", "/s", "x/s", "-1/s", "20/-1s", "20/0s", "2000000/s", "1.5/s", "20/year"} {
		if r, err := ParseRate(text); err == nil || !strings.Contains(err.Error(), "20/s") {
			t.Errorf("%q: %v, %v", text, r, err)
		}
	}
}

// A field of the file is written only when the file's value changed: a run-time change survives a reload.
func TestFileAndRunTimeSettings(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		file := Settings{Rate: Rate{10, time.Second}, Cap: 100}
		b := newBench(t, s, Config{Settings: file})
		rate := Rate{3, time.Second}
		if err := b.r.Change(t.Context(), Change{Rate: &rate}); err != nil {
			t.Fatal(err)
		}
		if err := b.r.Change(t.Context(), Change{Action: ActionPause}); err != nil {
			t.Fatal(err)
		}
		file.Cap = 200
		if err := b.r.Configure(t.Context(), file); err != nil {
			t.Fatal(err)
		}
		if s := b.r.Snapshot(); s.Settings.Rate != rate || s.Settings.Cap != 200 || s.State != "paused" {
			t.Fatalf("after a reload with another cap: %+v", s.Settings)
		}
		file.Rate, file.State = Rate{12, time.Second}, StateClosed
		if err := b.r.Configure(t.Context(), file); err != nil {
			t.Fatal(err)
		}
		if s := b.r.Snapshot(); s.Settings.Rate.Count != 12 || s.State != "closed" {
			t.Fatalf("after a reload with another rate: %+v", s.Settings)
		}
		if rep := b.call(scriptJoin, "a", ""); rep.status != statusClosed {
			t.Fatalf("a closed room answers a join with %s", rep.status)
		}
	})
}

// What was promised to those who joined cannot be changed under them.
func TestCommitmentBinds(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		opens := time.Date(2026, 11, 30, 21, 0, 0, 0, time.UTC)
		file := Settings{State: StatePrequeue, OpensAt: opens}
		b := newBench(t, s, Config{Settings: file})
		first := b.r.Snapshot().Draw
		file.OpensAt = opens.Add(time.Hour)
		if err := b.r.Configure(t.Context(), file); err != nil {
			t.Fatalf("before anybody joined: %v", err)
		}
		second := b.r.Snapshot().Draw
		if second.Commit == first.Commit || !second.OpensAt.Equal(file.OpensAt) {
			t.Fatalf("the commitment did not follow: %+v", second)
		}
		b.join("a")
		file.OpensAt = opens
		if err := b.r.Configure(t.Context(), file); !errors.Is(err, ErrCommitted) {
			t.Fatalf("after a join: %v", err)
		}
		if got := b.r.Snapshot(); got.Draw != second || !got.Settings.OpensAt.Equal(opens.Add(time.Hour)) {
			t.Fatalf("it changed all the same: %+v", got)
		}
		if err := b.r.Change(t.Context(), Change{Action: ActionOpen}); err != nil {
			t.Fatal(err)
		}
		file.State = StateOpen
		if err := b.r.Configure(t.Context(), file); err != nil {
			t.Fatal(err)
		}
		file.State = StatePrequeue
		if err := b.r.Configure(t.Context(), file); !errors.Is(err, ErrCommitted) {
			t.Fatalf("back to the pre-queue: %v", err)
		}
	})
}

func TestBadOptionsNameTheCure(t *testing.T) {
	for url, cure := range map[string]string{
		"http://x:1":                 "redis://",
		"redis://:secret@x:port/0":   "redis://",
		"rediss://u:secret@[::1/bad": "redis://",
	} {
		_, err := Open(Options{URL: url})
		if err == nil || !strings.Contains(err.Error(), cure) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, err := Open(Options{Prefix: "{x}"}); err == nil {
		t.Error("a prefix with braces was taken")
	}
	for _, s := range []Settings{
		{State: "ajar"}, {Cap: -1}, {Idle: time.Millisecond}, {Idle: time.Hour, Hard: time.Minute}, {Hard: 48 * time.Hour},
	} {
		if err := s.WithDefaults().Validate(); err == nil {
			t.Errorf("%+v was taken", s)
		}
	}
}

// What an operator does by hand in the moment in which a room is made stands: what the file says comes before it.
func TestChangeWhileARoomIsMade(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		b := &bench{t: t, s: s, clock: time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC).UnixMicro()}
		b.r = b.room(Config{Settings: Settings{Rate: Rate{10, time.Second}, Cap: 100}})
		_ = b.r.arrive(t.Context()) // the file's settings cannot be written yet at a shared store
		rate := Rate{3, time.Second}
		for range 10 {
			b.clock += second / 2
			_, _ = b.r.tick(t.Context(), "", 0, &rhythm{})
			if err := b.r.Change(t.Context(), Change{Rate: &rate}); err == nil {
				break
			} else if !errors.Is(err, ErrMerging) {
				t.Fatal(err)
			}
		}
		b.arrive(b.r)
		if s := b.r.Snapshot().Settings; s.Rate != rate || s.Cap != 100 {
			t.Fatalf("the rate is %s, cap %d", s.Rate, s.Cap)
		}
	})
}
