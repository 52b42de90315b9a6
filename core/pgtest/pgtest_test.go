package pgtest

import "testing"

func TestEachTestHasItsOwnDatabaseAsTheApplicationsRole(t *testing.T) {
	a, b := New(t), New(t)
	a.Owner(t, `INSERT INTO account (subject, email) VALUES ('iss|a', 'a@example.com')`)
	for db, want := range map[*DB]int{a: 1, b: 0} {
		var n int
		var role string
		err := db.Pool.QueryRow(t.Context(), `SELECT count(*), current_user FROM account`).Scan(&n, &role)
		if err != nil || n != want || role != AppRole {
			t.Errorf("accounts %d (want %d), role %q, error %v", n, want, role, err)
		}
	}
}
