package ledger

const (
	sqlJournal = `
INSERT INTO journal (event_id, id, kind, order_id, at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (event_id, id) DO NOTHING`

	sqlPostings = `
INSERT INTO posting (event_id, journal_id, line, account, amount, currency)
SELECT $1, $2, p.n, p.account, p.amount, p.currency
  FROM unnest($3::text[], $4::bigint[], $5::text[]) WITH ORDINALITY AS p(account, amount, currency, n)`
)

// statements are all statements of the package, for the test that prepares them.
var statements = map[string]string{"journal": sqlJournal, "postings": sqlPostings}
