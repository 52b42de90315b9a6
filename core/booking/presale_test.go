package booking

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/problem"
)

// presale puts the sale an hour away and opens a presale now.
func presale(t *testing.T, s saleSpec) *sale {
	x := newSale(t, s)
	x.setEvent(`on_sale_at = now() + interval '1 hour'`)
	x.db.Owner(t, `INSERT INTO presale (event_id, id, name, starts_at) VALUES (1, 1, 'Members', now() - interval '1 minute')`)
	return x
}

func (x *sale) codes(n, uses int) []string {
	x.t.Helper()
	c, err := x.e.MintCodes(x.t.Context(), slug, "Members", n, uses)
	if err != nil {
		x.t.Fatal(err)
	}
	return c
}

func (x *sale) redeem(e *Engine, account int64, key, code string) error {
	_, err := e.Redeem(x.t.Context(), Command{EventSlug: slug, AccountID: account, Route: "redeem", Key: key}, RedeemRequest{Code: code})
	return err
}

func TestAPresaleIsForThoseWithACode(t *testing.T) {
	x := presale(t, saleSpec{seats: 10})
	_, err := x.hold(1, seats(1))
	if p := wantCode(t, err, "not_on_sale"); p.Extra["reason"] != "presale" {
		t.Errorf("%v", p.Extra)
	}
	code := x.codes(1, 2)[0]
	if err := x.redeem(x.e, 1, "a", code); err != nil {
		t.Fatal(err)
	}
	x.mustHold(1, seats(1))
	x.mustHold(1, HoldRequest{Places: nil, Seats: []int32{2}})
	_, err = x.hold(2, seats(3))
	wantCode(t, err, "not_on_sale")
	// As a person writes it down; redeemed again it uses nothing.
	for _, spelled := range []string{code, " " + code[:4] + " " + code[5:]} {
		if err := x.redeem(x.e, 1, spelled, spelled); err != nil {
			t.Errorf("%q: %v", spelled, err)
		}
	}
	var used int
	if err := x.db.Pool.QueryRow(t.Context(), `SELECT used FROM presale_code`).Scan(&used); err != nil || used != 1 {
		t.Errorf("used %d times, %v", used, err)
	}
	x.db.Owner(t, `UPDATE presale SET ends_at = now() - interval '1 s'`)
	_, err = x.hold(1, seats(3))
	wantCode(t, err, "not_on_sale")
	wantCode(t, x.redeem(x.e, 3, "late", code), "invalid_code")
	x.setEvent(`on_sale_at = now()`)
	x.mustHold(2, seats(3))
}

// B12: a code with one use, thirty tries at once: one.
func TestACodeWithOneUse(t *testing.T) {
	x := presale(t, saleSpec{seats: 10})
	code := x.codes(1, 1)[0]
	es := x.twoProcesses()
	got := together(30, func(i int) error { return x.redeem(es[i%2], int64(i+1), "k", code) })
	if got["ok"] != 1 || got["invalid_code"] != 29 {
		t.Errorf("%v", got)
	}
	held := together(30, func(i int) error {
		_, err := x.holdAs(es[i%2], int64(i+1), "k", seats(int32(i%10+1)))
		return err
	})
	if held["ok"] != 1 || held["not_on_sale"] != 29 {
		t.Errorf("%v", held)
	}
}

// B12: while somebody sits on a code, and on its table, the others hold.
func TestCodesDelayNoHold(t *testing.T) {
	x := presale(t, saleSpec{seats: 10})
	code := x.codes(1, 10)[0]
	if err := x.redeem(x.e, 1, "a", code); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), x.db.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), `BEGIN; LOCK TABLE presale_code, presale_grant, presale_try IN SHARE ROW EXCLUSIVE MODE; SELECT FROM presale_code FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	wantCode(t, x.redeem(x.e, 2, "b", code), "busy")
	x.mustHold(1, seats(1, 2)) // a lock that was waited for would end it in busy
	if _, err := conn.Exec(t.Context(), `COMMIT`); err != nil {
		t.Fatal(err)
	}
	if err := x.redeem(x.e, 2, "c", code); err != nil {
		t.Error(err)
	}
}

// AB25: who guesses is let try five times a minute, by account and by network, and is
// always told the same.
func TestGuessingCodes(t *testing.T) {
	x := presale(t, saleSpec{seats: 10})
	used := x.codes(1, 1)[0]
	if err := x.redeem(x.e, 100, "a", used); err != nil {
		t.Fatal(err)
	}
	es := x.twoProcesses()
	guess := func(account int64, key, network, code string) error {
		c := Command{EventSlug: slug, AccountID: account, Route: "redeem", Key: key}
		_, err := es[len(key)%2].Redeem(t.Context(), c, RedeemRequest{Code: code, Network: network})
		return err
	}
	got := together(60, func(i int) error { return guess(1, fmt.Sprint("g", i*i), "", "0000-00000-0000") })
	if got["invalid_code"] != 5 || got["too_many_codes"] != 55 {
		t.Errorf("one account: %v", got)
	}
	got = together(60, func(i int) error { return guess(int64(i+10), "g", "192.0.2.0/24", fmt.Sprint("nonsense", i)) })
	if got["invalid_code"] != 5 || got["too_many_codes"] != 55 {
		t.Errorf("one network: %v", got)
	}
	never, gone := problem.As(guess(201, "g", "", "0000-00000-0000")), problem.As(guess(202, "g", "", used))
	if fmt.Sprint(*never) != fmt.Sprint(*gone) {
		t.Errorf("a code that never was: %v; one that is used up: %v", never, gone)
	}
	// A minute later, and for who was right: as many as they like.
	x.db.Owner(t, `UPDATE presale_try SET tries = ARRAY(SELECT u - interval '1 minute' FROM unnest(tries) u)`)
	wantCode(t, guess(1, "later", "", "0000-00000-0000"), "invalid_code")
	for i, code := range x.codes(12, 1) {
		if err := guess(203, fmt.Sprint("good", i), "198.51.100.0/24", code); err != nil {
			t.Fatalf("good code %d: %v", i, err)
		}
	}
	if _, err := x.e.purge(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestCodesAreLongAndPlain(t *testing.T) {
	x := presale(t, saleSpec{seats: 1})
	seen := make(map[string]bool)
	for _, c := range x.codes(1000, 1) {
		if len(c) != 15 || seen[c] {
			t.Fatalf("code %q", c)
		}
		seen[c] = true
	}
	if _, err := x.e.MintCodes(t.Context(), slug, "Nobody", 1, 1); problem.As(err) == nil {
		t.Errorf("codes for a presale that is none: %v", err)
	}
}

// Staff see how far codes are used, of all and of each, and never a code.
func TestHowFarCodesAreUsed(t *testing.T) {
	x := presale(t, saleSpec{seats: 10})
	x.db.Owner(t, `INSERT INTO presale (event_id, id, name, starts_at) VALUES (1, 2, 'Nobody', now())`)
	codes := x.codes(3, 2)
	for account, code := range map[int64]string{1: codes[0], 2: codes[0], 3: codes[1]} {
		if err := x.redeem(x.e, account, "k", code); err != nil {
			t.Fatal(err)
		}
	}
	list, err := x.e.Presales(t.Context(), slug)
	if err != nil || len(list) != 2 {
		t.Fatalf("%v, %v", list, err)
	}
	if p := list[0]; p.Name != "Members" || p.Codes != 3 || p.Uses != 6 || p.Used != 3 || p.Accounts != 3 || p.EndsAt != nil {
		t.Errorf("%+v", p)
	}
	if p := list[1]; p.Name != "Nobody" || p.Codes != 0 || p.Uses != 0 || p.Used != 0 || p.Accounts != 0 {
		t.Errorf("%+v", p)
	}
	of := func(presale int16, after, only string) []CodeUse {
		t.Helper()
		got, err := x.e.Codes(t.Context(), slug, presale, after, only)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	all := of(1, "", "")
	used := map[int]int{}
	for _, c := range all {
		used[c.Used]++
		if c.Uses != 2 || len(c.Mark) != 16 {
			t.Errorf("%+v", c)
		}
	}
	if len(all) != 3 || used[0] != 1 || used[1] != 1 || used[2] != 1 {
		t.Errorf("%v", all)
	}
	if rest := of(1, all[0].Mark, ""); len(rest) != 2 || rest[0] != all[1] {
		t.Errorf("after the first: %v, want %v", rest, all[1:])
	}
	if one := of(1, "", strings.ToLower(codes[0])); len(one) != 1 || one[0].Used != 2 {
		t.Errorf("a code in hand: %v", one)
	}
	if none := of(2, "", codes[0]); len(none) != 0 {
		t.Errorf("a code of the other presale: %v", none)
	}
	if _, err := x.e.Codes(t.Context(), slug, 3, "", ""); problem.As(err) == nil {
		t.Errorf("codes of no presale: %v", err)
	}
}
