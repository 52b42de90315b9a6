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

// What the application must not do fails in Prepare too.
func TestPrepareNoticesMissingColumnsAndPrivileges(t *testing.T) {
	for _, sql := range []string{`SELECT nothing FROM seat`, `DELETE FROM posting WHERE event_id = $1`} {
		f := &fakeT{TB: t}
		Prepare(f, map[string]string{"bad": sql})
		if !f.failed {
			t.Errorf("%s passed", sql)
		}
	}
}

type fakeT struct {
	testing.TB
	failed bool
}

func (f *fakeT) Errorf(string, ...any) { f.failed = true }
