package outbox

const sqlSince = `
SELECT seq, payload FROM outbox WHERE aggregate = $1 AND seq > $2 ORDER BY seq LIMIT $3`

const sqlAppend = `
INSERT INTO outbox (lane, aggregate, seq, kind, payload)
SELECT * FROM unnest($1::smallint[], $2::text[], $3::bigint[], $4::text[], $5::jsonb[])`

// statements are all statements of the package, for the test that prepares them.
var statements = map[string]string{"append": sqlAppend, "since": sqlSince}
