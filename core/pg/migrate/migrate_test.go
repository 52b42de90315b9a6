package migrate_test

import (
	"strings"
	"testing"

	"github.com/ropeline/ropeline/core/pg/migrate"
	"github.com/ropeline/ropeline/core/pgtest"
)

func TestTheSchemaOfThisBuildIsAccepted(t *testing.T) {
	db := pgtest.New(t)
	if err := migrate.Check(t.Context(), db.Pool); err != nil {
		t.Error(err)
	}
	if names, err := migrate.Up(t.Context(), db.OwnerURL); err != nil || len(names) != 0 {
		t.Errorf("a second time: %v, %v", names, err)
	}
}

// A build does not start on a schema it does not know.
func TestAnotherSchemaIsRefusedWithTheCure(t *testing.T) {
	for change, want := range map[string]string{
		`INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)`: "run a newer build",
		`DELETE FROM goose_db_version WHERE version_id > 1`:                          "run `bookingd migrate`",
		`DROP TABLE goose_db_version`:                                                "run `bookingd migrate`",
	} {
		db := pgtest.New(t)
		db.Owner(t, change)
		if err := migrate.Check(t.Context(), db.Pool); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", change, err)
		}
	}
}
