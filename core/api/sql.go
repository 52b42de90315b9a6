package api

// Accounts and the sessions of passes are all that this package reads and writes itself.
const (
	sqlAccountID     = `SELECT id FROM account WHERE subject = $1`
	sqlInsertAccount = `INSERT INTO account (subject, email) VALUES ($1, $2) ON CONFLICT (subject) DO NOTHING`

	sqlPassSession = `SELECT account_id, sign_in, token, ends_at, contested_at FROM pass_session WHERE visitor = $1 AND ends_at > now()`
	// Whoever was faster keeps it: the row that is there comes back, unless its session has ended.
	sqlClaimSession = `INSERT INTO pass_session AS p (visitor, account_id, sign_in, token, ends_at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (visitor) DO UPDATE SET
  account_id   = CASE WHEN p.ends_at > now() THEN p.account_id ELSE excluded.account_id END,
  sign_in      = CASE WHEN p.ends_at > now() THEN p.sign_in ELSE excluded.sign_in END,
  token        = CASE WHEN p.ends_at > now() THEN p.token ELSE excluded.token END,
  ends_at      = CASE WHEN p.ends_at > now() THEN p.ends_at ELSE excluded.ends_at END,
  contested_at = CASE WHEN p.ends_at > now() THEN p.contested_at END
RETURNING account_id, sign_in, token, ends_at, contested_at`
	sqlTakeOver = `UPDATE pass_session SET
  token   = CASE WHEN (sign_in, token) < ($2::timestamptz, $3::bytea) THEN $3 ELSE token END,
  sign_in = greatest(sign_in, $2::timestamptz),
  ends_at = greatest(ends_at, $4::timestamptz)
WHERE visitor = $1 AND account_id = $5 RETURNING account_id, sign_in, token, ends_at, contested_at`
	sqlContest = `UPDATE pass_session SET contested_at = now() WHERE visitor = $1 AND (contested_at IS NULL OR contested_at < now() - interval '10 seconds')`
	// Two old ones go with each new one: the table stays as small as the sale is busy.
	sqlForgetSessions = `DELETE FROM pass_session WHERE visitor IN
  (SELECT visitor FROM pass_session WHERE ends_at < now() - interval '1 hour' ORDER BY ends_at LIMIT 2 FOR UPDATE SKIP LOCKED)`
	sqlRelaxed = `SET LOCAL synchronous_commit = off`
)
