package ledger

import (
	"bytes"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/ropeline/ropeline/core/pg"
)

// Fault is a broken promise of the books.
type Fault struct {
	Rule   string // L1 to L4, or folds
	Detail string
}

func (f Fault) String() string { return f.Rule + ": " + f.Detail }

// Verify recomputes the books from their rows alone: that journals balance (L1), that
// everything together is zero (L2), that the application may only add and nothing below
// a seal was changed or lost (L3), that no fact is booked before its cause (L4), and
// that the folds are the sums of the postings. Run it in one snapshot.
func Verify(ctx context.Context, q pg.Querier) (faults []Fault, err error) {
	for _, c := range []struct{ rule, sql string }{
		{"L1", sqlOff}, {"L2", sqlLedgerOff}, {"L3", sqlPrivileges}, {"L4", sqlCauses}, {"folds", sqlFoldsDiffer},
	} {
		rows, err := q.Query(ctx, c.sql)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.rule, err)
		}
		details, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.rule, err)
		}
		for _, d := range details {
			faults = append(faults, Fault{c.rule, d})
		}
	}
	broken, err := brokenSeals(ctx, q)
	return append(faults, broken...), err
}

// brokenSeals computes every seal anew. After the first that differs all differ, since
// each covers the one before: it alone is told.
func brokenSeals(ctx context.Context, q pg.Querier) ([]Fault, error) {
	rows, err := q.Query(ctx, sqlSeals)
	if err != nil {
		return nil, fmt.Errorf("read seals: %w", err)
	}
	type row struct {
		N        int64
		From, To string
		Journals int64
		Postings int64
		Digest   []byte
	}
	seals, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
	if err != nil {
		return nil, fmt.Errorf("read seals: %w", err)
	}
	before, at := []byte(nil), "0"
	for i, s := range seals {
		if s.N != int64(i)+1 || s.From != at {
			return []Fault{{"L3", fmt.Sprintf("seal %d begins at transaction %s, the one before ended at %s: a seal is missing", s.N, s.From, at)}}, nil
		}
		now, err := digest(ctx, q, s.From, s.To, before)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(now.digest, s.Digest) {
			return []Fault{{"L3", fmt.Sprintf("what seal %d covers (transactions %s to %s) was changed: it had %d journals and %d postings, now %d and %d",
				s.N, s.From, s.To, s.Journals, s.Postings, now.journals, now.postings)}}, nil
		}
		before, at = s.Digest, s.To
	}
	return nil, nil
}

// Statements of Verify. Each gives sentences about what is wrong.
const (
	sqlSeals = `SELECT n, xid_from::text, xid_to::text, journals, postings, digest FROM ledger_seal ORDER BY n`

	sqlOff = `
SELECT format('journal %s of event %s is off by %s %s', journal_id, event_id, sum(amount), currency)
  FROM posting GROUP BY event_id, journal_id, currency HAVING sum(amount) <> 0 LIMIT 20`

	sqlLedgerOff = `
SELECT format('all accounts together are off by %s %s', sum(amount), currency) FROM posting GROUP BY currency HAVING sum(amount) <> 0`

	// Who owns a table may do anything with it: the application must not.
	sqlPrivileges = `
SELECT format('role ropeline_app may %s %s', what, name)
  FROM unnest(ARRAY['journal', 'posting', 'ledger_seal']) AS name, unnest(ARRAY['UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER']) AS what
 WHERE has_table_privilege('ropeline_app', name, what)
UNION ALL
SELECT format('role ropeline_app owns %s', tablename) FROM pg_tables
 WHERE tablename IN ('journal', 'posting', 'ledger_seal') AND pg_has_role('ropeline_app', tableowner::name, 'MEMBER')`

	// The cause of a fact is in the books of the same order, and not later.
	sqlCauses = `
SELECT format('%s of order %s (event %s) is booked without its cause %s before it', j.kind, j.order_id, j.event_id, array_to_string(c.causes, ' or '))
  FROM journal j
  JOIN (VALUES ('capture', ARRAY['confirm']), ('reversal', ARRAY['confirm']), ('refund_reserved', ARRAY['capture']),
               ('refunded', ARRAY['refund_reserved', 'late_money']), ('refunded_elsewhere', ARRAY['capture', 'late_money']),
               ('dispute_opened', ARRAY['capture', 'late_money']), ('dispute_won', ARRAY['dispute_opened']), ('dispute_lost', ARRAY['dispute_opened']))
       AS c(kind, causes) ON c.kind = j.kind
 WHERE NOT EXISTS (SELECT FROM journal k WHERE k.event_id = j.event_id AND k.order_id = j.order_id AND k.kind = ANY(c.causes) AND k.at <= j.at) LIMIT 20`

	sqlFoldsDiffer = `
SELECT format('account %s of event %s: folded %s %s, its postings say %s', coalesce(b.account, p.account), coalesce(b.event_id, p.event_id),
              coalesce(b.balance, 0), coalesce(b.currency, p.currency), coalesce(p.sum, 0))
  FROM ledger_balance b
  FULL JOIN (SELECT p.event_id, p.account, p.currency, sum(p.amount) AS sum, count(*) AS n
               FROM journal j JOIN posting p ON p.event_id = j.event_id AND p.journal_id = j.id
              WHERE j.xid < coalesce((SELECT max(xid_to) FROM ledger_seal), '0'::xid8)
              GROUP BY 1, 2, 3) p ON p.event_id = b.event_id AND p.account = b.account AND p.currency = b.currency
 WHERE coalesce(b.balance, 0) <> coalesce(p.sum, 0) OR coalesce(b.postings, 0) <> coalesce(p.n, 0) LIMIT 20`
)
