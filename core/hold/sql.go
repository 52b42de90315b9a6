package hold

import (
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// Statements of the inventory. Sets of keys come as parallel arrays; "k" is the
// set. Locking statements order by key, so that transactions that meet wait in a
// row and never in a circle.
const (
	// Lengths of time leave the server in microseconds: a Go duration and an
	// interval do not agree on what a day is.
	eventColumns = `e.id, e.slug, e.title, e.organiser, e.state, e.currency, e.on_sale_at, e.off_sale_at, e.max_per_account,
       (extract(epoch FROM e.hold_ttl) * 1e6)::bigint, e.extend, (extract(epoch FROM e.extend_by) * 1e6)::bigint,
       (extract(epoch FROM e.hold_cap) * 1e6)::bigint, e.late_policy, e.fee_bp`

	sqlLockEvent = `SELECT ` + eventColumns + `
  FROM event e WHERE e.id = ANY($1) ORDER BY e.id FOR SHARE OF e`
)

// micros scans microseconds into a duration.
type micros struct{ d *time.Duration }

// ScanInt64 is how pgx hands over a bigint.
func (m micros) ScanInt64(v pgtype.Int8) error {
	*m.d = time.Duration(v.Int64) * time.Microsecond
	return nil
}
