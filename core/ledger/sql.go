package ledger

const (
	// A fact that is booked already keeps its journal; its postings find no journal that
	// is new and are not written.
	sqlPost = `
WITH j AS (
  INSERT INTO journal (event_id, id, kind, order_id, at)
  SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::uuid[], $5::timestamptz[])
  ON CONFLICT (event_id, id) DO NOTHING RETURNING event_id, id),
p AS (
  INSERT INTO posting (event_id, journal_id, line, account, amount, currency)
  SELECT p.event_id, p.journal_id, p.line, p.account, p.amount, p.currency
    FROM unnest($6::bigint[], $7::text[], $8::smallint[], $9::text[], $10::bigint[], $11::text[])
         AS p(event_id, journal_id, line, account, amount, currency)
    JOIN j ON j.event_id = p.event_id AND j.id = p.journal_id)
SELECT count(*) FROM j`

	// Two folds never run at once; one that finds the other at work has nothing to do.
	sqlFoldLock = `SELECT pg_try_advisory_xact_lock(7161990321)`

	sqlLastSeal = `SELECT n, xid_to::text, digest FROM ledger_seal ORDER BY n DESC LIMIT 1`

	// Every transaction below the snapshot's xmin is over, and what it wrote is visible to
	// every later statement. A bounded bite: up to the transaction at the limit, or all.
	sqlFoldTo = `
SELECT coalesce((SELECT xid FROM (SELECT xid FROM journal WHERE xid >= $1::text::xid8 AND xid < s.xmin ORDER BY xid OFFSET $2 LIMIT 1) AS far
                  WHERE xid > $1::text::xid8), s.xmin)::text
  FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS xmin) AS s`

	// The bytes of a journal and its postings in one fixed spelling and order.
	sqlDigest = `
SELECT count(DISTINCT (j.event_id, j.id)), count(p.line),
       sha256(convert_to(coalesce(string_agg(row(j.xid::text, j.event_id, j.id, j.kind, j.order_id, extract(epoch FROM j.at), p.line, p.account, p.amount, p.currency)::text,
              E'\n' ORDER BY j.xid, j.event_id, j.id COLLATE "C", p.line), ''), 'UTF8'))
  FROM journal j LEFT JOIN posting p ON p.event_id = j.event_id AND p.journal_id = j.id
 WHERE j.xid >= $1::text::xid8 AND j.xid < $2::text::xid8`

	sqlFold = `
INSERT INTO ledger_balance AS b (event_id, account, currency, balance, postings)
SELECT p.event_id, p.account, p.currency, sum(p.amount)::bigint, count(*)
  FROM journal j JOIN posting p ON p.event_id = j.event_id AND p.journal_id = j.id
 WHERE j.xid >= $1::text::xid8 AND j.xid < $2::text::xid8
 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
ON CONFLICT (event_id, account, currency) DO UPDATE SET balance = b.balance + excluded.balance, postings = b.postings + excluded.postings`

	sqlSeal = `INSERT INTO ledger_seal (n, xid_from, xid_to, journals, postings, digest) VALUES ($1, $2::text::xid8, $3::text::xid8, $4, $5, $6)`

	// What is committed and cannot be folded yet, because some older transaction is still
	// open: normally nothing, or the last moment's.
	sqlUnfolded = `
SELECT count(*), coalesce(extract(epoch FROM clock_timestamp() - min(at)), 0)::float8 FROM journal WHERE xid >= $1::text::xid8`

	sqlBalances = `
SELECT split_part(account, ':', 1), currency, sum(balance)::bigint, sum(postings)::bigint FROM ledger_balance
 WHERE $1 = '' OR event_id = (SELECT id FROM event WHERE slug = $1) GROUP BY 1, 2 ORDER BY 2, 1`
)

// statements are all statements of the package, for the test that prepares them.
var statements = map[string]string{
	"post": sqlPost, "fold lock": sqlFoldLock, "last seal": sqlLastSeal, "fold to": sqlFoldTo, "digest": sqlDigest, "fold": sqlFold,
	"seal": sqlSeal, "unfolded": sqlUnfolded, "balances": sqlBalances, "seals": sqlSeals,
	"off journals": sqlOff, "off ledger": sqlLedgerOff, "folds differ": sqlFoldsDiffer, "privileges": sqlPrivileges, "causes": sqlCauses,
	"statement": sqlStatement, "statement opening": sqlStatementOpening, "organiser": sqlOrganiser, "owed": sqlOwed, "owed lock": sqlOwedLock,
}
