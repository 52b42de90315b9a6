package api

// Accounts are all that this package reads and writes itself.
const (
	sqlAccountID     = `SELECT id FROM account WHERE subject = $1`
	sqlInsertAccount = `INSERT INTO account (subject, email) VALUES ($1, $2) ON CONFLICT (subject) DO NOTHING`
)
