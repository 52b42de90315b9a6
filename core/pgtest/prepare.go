package pgtest

import (
	"strings"
	"testing"
)

// Prepare has the server parse and plan every statement against the migrated
// schema, as the application's role: a renamed column or a missing grant fails here
// by name and not in the middle of a sale.
func Prepare(t testing.TB, statements map[string]string) {
	t.Helper()
	db := New(t)
	conn, err := db.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if len(statements) == 0 {
		t.Fatal("no statements to prepare")
	}
	for name, sql := range statements {
		st, err := conn.Conn().Prepare(t.Context(), "checked", sql)
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, sql)
			continue
		}
		// Parsing asks for no privileges, the start of a plan does; EXPLAIN stops there.
		explain := "EXPLAIN EXECUTE checked"
		if n := len(st.ParamOIDs); n > 0 {
			explain += "(NULL" + strings.Repeat(", NULL", n-1) + ")"
		}
		if _, err := conn.Exec(t.Context(), explain); err != nil {
			t.Errorf("%s: %v\n%s", name, err, sql)
		}
		if err := conn.Conn().Deallocate(t.Context(), "checked"); err != nil {
			t.Fatal(err)
		}
	}
}
