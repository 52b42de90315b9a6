package booking

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/pgtest"
)

func TestMoneyStatementsFitTheSchema(t *testing.T) { pgtest.Prepare(t, moneyStatements) }

func TestDocketStatementsFitTheSchema(t *testing.T) { pgtest.Prepare(t, docketStatements) }

// TestClaimsUseTheirIndexes: each loop looks five times a second; over a season's
// payments it must not read what is long settled.
func TestClaimsUseTheirIndexes(t *testing.T) {
	db := pgtest.New(t)
	for sql, index := range map[string]string{
		sqlClaimAttempts: "attempt_due", sqlUnderWay: "attempt_due", sqlClaimRefunds: "refund_due",
		sqlRefundsUnderWay: "refund_due", sqlClaimWebhooks: "webhook_due", sqlInboxUnread: "webhook_due",
	} {
		err := pgx.BeginFunc(t.Context(), db.Pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), `SET LOCAL enable_seqscan = off`); err != nil {
				return err
			}
			args := []any{pgx.QueryExecModeExec, 10, 15.0}
			if !strings.Contains(sql, "$1") {
				args = nil
			}
			rows, err := tx.Query(t.Context(), "EXPLAIN "+sql, args...)
			if err != nil {
				return err
			}
			lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if plan := strings.Join(lines, "\n"); err == nil && !strings.Contains(plan, index) {
				t.Errorf("%s is not used:\n%s", index, plan)
			}
			return err
		})
		if err != nil {
			t.Fatalf("%v\n%s", err, sql)
		}
	}
}
