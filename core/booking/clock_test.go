package booking

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ropeline/ropeline/core/pg"
	"github.com/ropeline/ropeline/core/problem"
)

// skewed gives the database's clock an error against the program's: the functions
// that tell the time are found in a schema of the test's before the system's.
func (x *sale) skewed(by time.Duration) {
	x.t.Helper()
	x.db.Owner(x.t, `CREATE SCHEMA IF NOT EXISTS skew`)
	x.db.Owner(x.t, `GRANT USAGE ON SCHEMA skew TO ropeline_app`)
	for _, fn := range []string{"now", "clock_timestamp"} {
		x.db.Owner(x.t, `CREATE OR REPLACE FUNCTION skew.`+fn+`() RETURNS timestamptz LANGUAGE sql AS
			$$SELECT pg_catalog.`+fn+`() + interval '`+by.String()+`'$$`)
	}
	x.db.Owner(x.t, `ALTER ROLE ropeline_app IN DATABASE `+x.database()+` SET search_path = skew, pg_catalog, public`)
	x.e = x.engine(x.db.Open(x.t, pg.Options{}), Config{})
}

// The program's clock is an hour wrong in either direction: the sale opens, holds
// last and end by the database's.
func TestTheDatabasesClockDecides(t *testing.T) {
	for _, by := range []time.Duration{time.Hour, -time.Hour} {
		t.Run(by.String(), func(t *testing.T) {
			x := newSale(t, saleSpec{seats: 6, counters: []counterSpec{{"Standing", 1, 0}}, budget: 3})
			x.setEvent(`on_sale_at = $1`, time.Now().Add(by-time.Minute))
			x.skewed(by)
			r := seats(1)
			r.Places = places(1, 1).Places
			v := x.mustHold(1, r)
			if off := time.Until(time.Time(v.ServerTime)) - by; off.Abs() > time.Minute {
				t.Errorf("the answer's time is %s from the database's", off)
			}
			if left := time.Time(v.ExpiresAt).Sub(time.Time(v.ServerTime)); left != 8*time.Minute {
				t.Errorf("%s left", left)
			}
			_, err := x.hold(2, r)
			wantCode(t, err, "seat_taken")
			x.age(v.ID, 7*time.Minute+50*time.Second)
			_, err = x.hold(2, r)
			wantCode(t, err, "seat_taken")
			x.age(v.ID, 10*time.Second)
			w := x.mustHold(2, r)
			if shown, err := x.e.HoldView(t.Context(), 1, slug, v.ID); err != nil || shown.State != "expired" {
				t.Errorf("the old hold is %s, %v", shown.State, err)
			}
			if b, err := x.hold(3, HoldRequest{Best: bestOf(2)}); err != nil || len(held(b)) != 2 {
				t.Errorf("best: %v, %v", held(b), err)
			}
			x.age(w.ID, 8*time.Minute)
			if _, err := x.e.sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			if n, _ := x.counterSums(1); n != 0 {
				t.Errorf("%d held after the sweep", n)
			}
			x.setEvent(`on_sale_at = $1`, time.Now().Add(by+time.Minute))
			_, err = x.hold(4, seats(5))
			if p := problem.As(err); p == nil || p.Extra["reason"] != "not_yet" {
				t.Errorf("a minute before the sale opens: %v", err)
			}
			x.spareLive()
		})
	}
}

// spareLive ends what is held, for the check of the invariants reads another clock.
func (x *sale) spareLive() {
	x.db.Owner(x.t, `UPDATE hold_line SET held_until = now() - interval '2 hours' WHERE state = 1`)
	x.db.Owner(x.t, `UPDATE seat SET held_until = now() - interval '2 hours' WHERE state = 'held'`)
}

// The rules of holds cannot ask the program's clock: nothing in their package does.
func TestTheRulesOfHoldsReadNoClock(t *testing.T) {
	files, err := filepath.Glob("../hold/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if id, ok := s.X.(*ast.Ident); ok && id.Name == "time" && (s.Sel.Name == "Now" || s.Sel.Name == "Since" || s.Sel.Name == "Until") {
					t.Errorf("%s asks time.%s", name, s.Sel.Name)
				}
			}
			return true
		})
	}
}
