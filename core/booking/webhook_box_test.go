package booking

import "testing"

// A copy of a notice that is being read at this moment is acknowledged: it neither waits for
// those who read nor for their disk, and what it promises is in the log all the same.
func TestACopyWaitsForNobody(t *testing.T) {
	x := newSale(t, saleSpec{seats: 1})
	put := func() error {
		return x.e.letterbox.put(&delivery{provider: "fakepay", id: "evt_1", body: []byte("{}")})
	}
	if err := put(); err != nil {
		t.Fatal(err)
	}
	letGo := x.holdLocked(`SELECT FROM webhook_inbox FOR UPDATE`)
	defer letGo()
	x.db.Owner(t, `CREATE EXTENSION pg_walinspect`)
	x.db.Owner(t, `CREATE TABLE before AS SELECT pg_current_wal_insert_lsn() AS at; GRANT SELECT ON before TO PUBLIC`)
	if err := put(); err != nil {
		t.Fatal("a copy, while its row is locked:", err) // lock_timeout, if it waited
	}
	x.db.Owner(t, `CHECKPOINT`) // the log of a throw-away server is not on its disk yet
	x.db.Owner(t, `CREATE TABLE said AS SELECT count(*) AS n FROM pg_get_wal_records_info((SELECT at FROM before), pg_current_wal_flush_lsn())
		WHERE resource_manager = 'LogicalMessage' AND description LIKE '%ropeline webhook%'; GRANT SELECT ON said TO PUBLIC`)
	var n int
	if err := x.db.Pool.QueryRow(t.Context(), `SELECT n FROM said`).Scan(&n); err != nil || n < 1 {
		t.Errorf("the copy wrote nothing: its 2xx waited for no standby (%d, %v)", n, err)
	}
	var rows int
	if err := x.db.Pool.QueryRow(t.Context(), `SELECT count(*) FROM webhook_inbox`).Scan(&rows); err != nil || rows != 1 {
		t.Errorf("%d rows for one notice, %v", rows, err)
	}
}
