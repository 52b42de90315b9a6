package main

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"crypto/md5"
	"fmt"
	"net"
	"net/http"
	"sort"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/ropeline/ropeline/core/booking"
	"github.com/ropeline/ropeline/core/payment"
	"github.com/ropeline/ropeline/core/payment/fakepay"
	"github.com/ropeline/ropeline/core/ticket"
	"github.com/ropeline/ropeline/deploy/bench/figures"
)

func contains(s, part string) bool { return strings.Contains(s, part) }

// planted says what is wrong with row n of the report, for one in ten thousand: the classes
// in turn.
func planted(n int) string {
	const every = 10_000
	kinds := []string{"missing_there", "duplicate", "missing_here", "amount", "currency", "fee", "unreadable"}
	if n%every != every/2 {
		return ""
	}
	return kinds[(n/every)%len(kinds)]
}

// reconcileBench compares a report with a row for each of a million captured payments.
func reconcileBench(ctx context.Context, s *server, out *figures.Figures) error {
	if err := s.stockPayments(ctx); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	bank := &http.Server{Handler: s.bank(), ReadHeaderTimeout: time.Minute}
	go func() { _ = bank.Serve(l) }()
	defer bank.Close()
	client, err := fakepay.NewClient(fakepay.ClientConfig{URL: "http://" + l.Addr().String(), Secrets: []string{"bench"}})
	if err != nil {
		return err
	}
	defer client.Close()
	engine, err := booking.New(booking.Config{}, s.db, booking.Deps{Providers: []payment.Provider{client},
		Tickets: ticket.NewSigner(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)))})
	if err != nil {
		return err
	}
	begin := time.Now()
	r, err := engine.Reconcile(ctx, "fakepay", begin.Add(-24*time.Hour), begin.Add(time.Hour))
	took := time.Since(begin)
	if err != nil {
		return err
	}
	if err := s.asPlanted(ctx, r); err != nil {
		return err
	}
	out.Note("%d rows, %d payments compared, %d breaks, all planted, no other: %.1f s (%+v)",
		r.Rows, r.Payments, len(r.Found), took.Seconds(), r.Took)
	out.Value("reconcile.rows_per_s", float64(r.Rows)/took.Seconds())
	return nil
}

// asPlanted: exactly what was planted was found.
func (s *server) asPlanted(ctx context.Context, r booking.Reconciliation) error {
	want := map[string]int{}
	for n := 1; n <= s.rows; n++ {
		if k := planted(n); k != "" {
			want[k]++
		}
	}
	// The row that cannot be read is the only one of its payment.
	want["missing_there"] += want["unreadable"]
	got := map[string]int{}
	for _, b := range r.Found {
		got[string(b.Class)]++
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Errorf("found %v, planted %v", got, want)
	}
	return nil
}

// stockPayments makes captured payments. They wait for their refund, so that they need no
// order: what is compared is the same.
func (s *server) stockPayments(ctx context.Context) error {
	for _, sql := range []string{
		`INSERT INTO event (slug, organiser, title, place, starts_at, time_zone, currency) VALUES ('gig', 'Bench', 'Gig', 'Bonn', now() + interval '1 year', 'UTC', 'EUR')`,
		`INSERT INTO attempt (event_id, id, order_id, provider, phase, want, card_token, amount, currency, authorized, captured, created_at, next_at)
		 SELECT 1, md5('a' || n)::uuid, md5('o' || n)::uuid, 'fakepay', 'answered', 'give_back', 'tok', 5000, 'EUR', 5000, 5000, now() - interval '1 hour', now()
		   FROM generate_series(1, $1::int) n`,
		`INSERT INTO journal (event_id, id, kind, order_id, at) VALUES (1, 'all', 'late_money', '00000000-0000-0000-0000-000000000000', now())`,
		`INSERT INTO posting VALUES (1, 'all', 1, 'clearing:fakepay', $1::int * 5000::bigint, 'EUR'), (1, 'all', 2, 'refunds_due', $1::int * -5000::bigint, 'EUR')`,
	} {
		args := []any{s.rows}
		if !contains(sql, "$1") {
			args = nil
		}
		if err := s.exec(ctx, sql, args...); err != nil {
			return err
		}
	}
	if err := s.exec(ctx, `VACUUM ANALYZE`); err != nil {
		return err
	}
	return s.exec(ctx, `CHECKPOINT`)
}

// bank streams the report and knows no payment that it is asked about.
func (s *server) bank() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/payments", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"error":{"code":"not_found","message":"there is no such payment"}}`))
	})
	mux.HandleFunc("GET /v1/settlements", func(w http.ResponseWriter, _ *http.Request) {
		out := bufio.NewWriterSize(w, 1<<20)
		fmt.Fprintln(out, "id,kind,payment,reference,amount,fee,currency,at")
		at := time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
		rows := 0
		for _, n := range s.shuffled() {
			rows += writeRow(out, n, at)
		}
		fmt.Fprintf(out, "end,%d,,,,,,\n", rows)
		_ = out.Flush()
	})
	return mux
}

// shuffled is every number once, in the order of its payment's hash: a report is in the
// order of time, our keys are not.
func (s *server) shuffled() []int {
	list := make([]int, s.rows)
	for i := range list {
		list[i] = i + 1
	}
	sort.Slice(list, func(i, j int) bool { return list[i]*7919%1_000_003 < list[j]*7919%1_000_003 })
	return list
}

// writeRow writes what the report has of payment n, and says how many rows that is.
func writeRow(out *bufio.Writer, n int, at string) int {
	kind := planted(n)
	amount, fee, currency := 5000, 70, "EUR"
	switch kind {
	case "missing_there":
		return 0
	case "amount":
		amount++
	case "currency":
		currency = "USD"
	case "fee":
		fee += 3
	case "unreadable":
		fmt.Fprintf(out, "mov_%d,capture,pay_%d,,a lot,,,\n", n, n)
		return 1
	}
	line := fmt.Sprintf("mov_%d,capture,pay_%d,1-%s,%d,%d,%s,%s\n", n, n, uuid.UUID(md5.Sum(fmt.Appendf(nil, "a%d", n))), amount, fee, currency, at)
	_, _ = out.WriteString(line)
	switch kind {
	case "duplicate":
		_, _ = out.WriteString(line)
		return 2
	case "missing_here":
		fmt.Fprintf(out, "mov_x%d,capture,pay_x%d,somebody-else,5000,70,EUR,%s\n", n, n, at)
		return 2
	}
	return 1
}
