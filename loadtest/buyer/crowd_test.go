package buyer

import (
	"context"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/ropeline/ropeline/loadtest/history"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sale lets a crowd loose on a fake and returns both sides' memories.
func sale(t *testing.T, f *fake, change func(*Config)) (Report, []history.Span) {
	t.Helper()
	server := httptest.NewServer(f)
	defer server.Close()
	path := filepath.Join(t.TempDir(), "history.jsonl")
	w, err := history.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	conf := Config{
		Edge: server.URL, Room: "box", Event: "night", Buyers: 60, Seed: 7, Early: 0.8, EarlyFor: time.Second,
		LateFor: time.Second, Patience: 10 * time.Second, History: w,
	}
	if change != nil {
		change(&conf)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Second)
	defer cancel()
	report, err := Run(ctx, conf)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	spans, err := history.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.misdeed) > 0 {
		t.Errorf("the crowd misbehaved: %v", f.misdeed)
	}
	if len(report.Refusals) > 0 {
		t.Errorf("refused: %v", report.Refusals)
	}
	n := 0
	for _, count := range report.Outcomes {
		n += count
	}
	if n != conf.Buyers || report.Outcomes[Refused] > 0 || report.Outcomes[TimeIsUp] > 0 {
		t.Errorf("outcomes %v of %d buyers", report.Outcomes, conf.Buyers)
	}
	return report, spans
}

func (f *fake) sold() (n int) {
	for _, s := range f.shop.seats {
		if s.sold {
			n++
		}
	}
	return n
}

func TestEverythingIsSoldThoughPeopleWalkAway(t *testing.T) {
	t.Parallel()
	f := newFake(80, 1500*time.Millisecond)
	report, spans := sale(t, f, func(c *Config) {
		c.Shares = Shares{Ghost: 0.1, Duplicate: 0.3, WalkAway: 0.3, Release: 0.2, Decline: 0.3}
		c.WalkAway = 10
	})
	if f.sold() != 80 {
		t.Errorf("%d of 80 seats sold: %v", f.sold(), report.Outcomes)
	}
	if report.Outcomes[WalkedAway] == 0 || report.Outcomes[WalkedAway] > 10 || report.Outcomes[Ghost] == 0 || report.Outcomes[Bought] == 0 {
		t.Errorf("outcomes %v: want some of each kind, and at most 10 who walk away", report.Outcomes)
	}
	if f.shop.replays == 0 {
		t.Error("nobody pressed twice")
	}
	did := map[string]int{}
	for _, s := range spans {
		did[s.Begin.F]++
		if s.Begin.F == "hold" && s.End.Type == history.OK && (s.Answer().ID == "" || s.Answer().Hash == "" || s.Call().Key == "") {
			t.Fatalf("a hold in the history without id, hash or key: %+v", s)
		}
	}
	for _, f := range []string{"arrive", "status", "heartbeat", "knock", "enter", "map", "hold", "release", "order", "card", "pay", "watch", "tickets", "leave", KeysOp} {
		if did[f] == 0 {
			t.Errorf("the history has no %q: %v", f, did)
		}
	}
}

func TestWhoComesAfterTheLastSeatGivesUp(t *testing.T) {
	t.Parallel()
	f := newFake(8, 10*time.Second)
	report, _ := sale(t, f, nil)
	if f.sold() != 8 || report.Outcomes[SoldOut]+report.Outcomes[GaveUp] == 0 {
		t.Errorf("%d sold, outcomes %v", f.sold(), report.Outcomes)
	}
}

func TestWhoIsAskedToSignInLaterDoes(t *testing.T) {
	t.Parallel()
	f := newFake(400, 10*time.Second)
	f.shop.busy = 5
	report, spans := sale(t, f, func(c *Config) { c.Buyers = 10 })
	refused := 0
	for _, s := range spans {
		if s.Begin.F == "sign_in" && s.Answer().Status == 503 {
			refused++
		}
	}
	if report.Outcomes[Bought] != 10 || refused != 5 {
		t.Errorf("%d refusals in the history, want 5; outcomes %v, want 10 who bought", refused, report.Outcomes)
	}
}

func TestALatePayerLosesTheHoldAndBuysOther(t *testing.T) {
	t.Parallel()
	f := newFake(400, 300*time.Millisecond)
	report, spans := sale(t, f, func(c *Config) {
		c.Buyers, c.Shares = 10, Shares{LatePay: 0.5}
	})
	late := slices.ContainsFunc(spans, func(s history.Span) bool { return s.Begin.F == "pay" && s.Answer().Code == "hold_expired" })
	if !late || report.Outcomes[Bought] != 10 {
		t.Errorf("late payments seen: %v, outcomes %v", late, report.Outcomes)
	}
}

func TestConfigNamesTheSettingAndTheCure(t *testing.T) {
	w, err := history.Create(filepath.Join(t.TempDir(), "h"))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for want, spoil := range map[string]func(*Config){
		"--edge":            func(c *Config) { c.Edge = "localhost:8080" },
		"--event":           func(c *Config) { c.Event = "" },
		"--room":            func(c *Config) { c.Room = "" },
		"--buyers 0":        func(c *Config) { c.Buyers = 0 },
		"--decline 1.5":     func(c *Config) { c.Shares.Decline = 1.5 },
		"no history":        func(c *Config) { c.History = nil },
		"is the edge up":    func(*Config) {},
		"--buyers 20000000": func(c *Config) { c.Buyers = 20_000_000 },
	} {
		c := Config{Edge: "http://127.0.0.1:1", Room: "r", Event: "e", Buyers: 1, History: w}
		spoil(&c)
		if _, err := Run(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestTheMapIsReadAsDocumented(t *testing.T) {
	// seat 1 sold, 2 free, 3 held, 4 blocked, 5 free
	m, packed, ok := readMap(reply{body: []byte(`{"seats":5,"states":"0gA="}`)}) // 0b11_01_00_10, 0
	seats, held := free(m.Count, packed)
	if !ok || !reflect.DeepEqual(seats, []int{2, 5}) || !held {
		t.Errorf("free %v, held %v, read %v", seats, held, ok)
	}
	for _, broken := range []string{``, `{}`, `{"seats":5}`, `{"seats":5,"states":"?"}`, `{"seats":9,"states":"0gA="}`} {
		if _, _, ok := readMap(reply{body: []byte(broken)}); ok {
			t.Errorf("%q was read as a map", broken)
		}
	}
}

func TestEndings(t *testing.T) {
	for _, c := range []struct {
		a    history.Answer
		want history.Type
	}{
		{history.Answer{Status: 201}, history.OK},
		{history.Answer{Status: 303}, history.OK},
		{history.Answer{Status: 503, Wait: true}, history.Fail},
		{history.Answer{Status: 409, Code: "seat_taken"}, history.Fail},
		{history.Answer{Status: 503, Code: "overloaded"}, history.Fail},
		{history.Answer{Status: 503, Code: "outcome_unknown"}, history.Info},
		{history.Answer{Status: 502}, history.Info},
		{history.Answer{}, history.Info},
	} {
		if got := ending(reply{Answer: c.a}); got != c.want {
			t.Errorf("%+v ends as %s, want %s", c.a, got, c.want)
		}
	}
}
