package hold

// Statements of presales. None of them locks a row that a hold needs.
const (
	// The newest tries come first. In ON CONFLICT the clock is read when the row is
	// locked, so parallel tries are counted one after the other.
	sqlCountTry = `
INSERT INTO presale_try AS t (subject, tries) VALUES ($1, ARRAY[clock_timestamp()])
ON CONFLICT (subject) DO UPDATE SET tries = (clock_timestamp() || t.tries)[1:$2::int]
 WHERE cardinality(t.tries) < $2::int OR t.tries[$2::int] <= clock_timestamp() - $3::interval`

	sqlForgiveTry = `UPDATE presale_try SET tries = tries[2:] WHERE subject = ANY($1::text[])`

	sqlForgetTries = `
DELETE FROM presale_try WHERE coalesce(tries[1], '-infinity') < now() - interval '1 hour'`

	sqlCode = `
SELECT p.id, p.name, p.starts_at, p.ends_at
  FROM presale_code c JOIN presale p ON p.event_id = c.event_id AND p.id = c.presale
 WHERE c.event_id = $1 AND c.code_hash = $2 AND (p.ends_at IS NULL OR p.ends_at > now())`

	sqlGrant = `
INSERT INTO presale_grant (event_id, account_id, presale, code_hash, at)
VALUES ($1, $2, $3, $4, clock_timestamp()) ON CONFLICT DO NOTHING`

	sqlUseCode = `UPDATE presale_code SET used = used + 1 WHERE event_id = $1 AND code_hash = $2 AND used < uses`

	sqlPresaleByName = `SELECT id FROM presale WHERE event_id = $1 AND name = $2`

	sqlAddCodes = `
INSERT INTO presale_code (event_id, presale, uses, code_hash)
SELECT $1, $2, $3, h FROM unnest($4::bytea[]) AS h`
)

var presaleStatements = map[string]string{
	"count try": sqlCountTry, "forgive try": sqlForgiveTry, "forget tries": sqlForgetTries, "code": sqlCode, "grant": sqlGrant,
	"use code": sqlUseCode, "presale by name": sqlPresaleByName, "add codes": sqlAddCodes, "presales": sqlPresales, "codes": sqlCodes,
}
