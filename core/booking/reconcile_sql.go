package booking

// Statements of reconciliation. They work on sets: tables of the transaction hold the
// report and the payments that are compared.
const (
	sqlReconLock   = `SELECT pg_try_advisory_lock(hashtextextended('reconcile:' || $1, 0))`
	sqlReconUnlock = `SELECT pg_advisory_unlock(hashtextextended('reconcile:' || $1, 0))`

	sqlReconBegin = `INSERT INTO recon_run (provider, since, until) VALUES ($1, $2, $3) RETURNING id`
	sqlReconEnd   = `
UPDATE recon_run SET ended_at = clock_timestamp(), rows = $2, new_rows = $3, payments = $4, there = $5, here = $6, found = $7, cured = $8 WHERE id = $1`

	sqlReconDue = `
SELECT coalesce(max(started_at) FILTER (WHERE ended_at IS NOT NULL) < now() - make_interval(secs => $2), true),
       coalesce(max(until) FILTER (WHERE ended_at IS NOT NULL) - make_interval(secs => $3), now() - make_interval(secs => $4)), now()
  FROM recon_run WHERE provider = $1`

	// Hashes and sorts of a million rows that spill to disk take twice as long; compiling
	// the statements takes longer than it saves.
	sqlReconMemory = `SELECT set_config('work_mem', '256MB', true), set_config('temp_buffers', '256MB', true), set_config('jit', 'off', true)`

	sqlReportTable = `
CREATE TEMP TABLE report (event_id bigint, attempt_id uuid, id text, kind text, payment_ref text, amount bigint, fee bigint, currency char(3), at timestamptz) ON COMMIT DROP`

	sqlDuplicates = `SELECT id, count(*), min(amount), min(currency) FROM report GROUP BY id HAVING count(*) > 1 ORDER BY id LIMIT $1`

	// In the order of the key: a million random entries of an index are slow, sorted ones
	// are not. Payouts are told one by one, fees as one sum of an event.
	sqlKeep = `
WITH new AS (
  INSERT INTO settlement (event_id, attempt_id, provider, id, kind, payment_ref, amount, fee, currency, at)
  SELECT event_id, attempt_id, $1, id, kind, payment_ref, amount, fee, currency, at FROM report ORDER BY event_id, attempt_id, id
  ON CONFLICT DO NOTHING RETURNING event_id, kind, id, currency, fee, amount)
SELECT event_id, CASE WHEN kind = 'payout' THEN kind ELSE '' END, CASE WHEN kind = 'payout' THEN id ELSE '' END, currency, count(*), sum(fee)::bigint, sum(amount)::bigint
  FROM new GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`

	sqlOpenSubjects = `SELECT DISTINCT subject FROM money_break WHERE provider = $1 AND state = 'open' AND event_id IS NOT NULL`

	sqlTouchTable = `CREATE TEMP TABLE touched (event_id bigint, attempt_id uuid) ON COMMIT DROP`
	// A payment is touched once: what is there already is left out.
	sqlTouch = `
INSERT INTO touched SELECT DISTINCT k.event_id, k.attempt_id FROM unnest($1::bigint[], $2::uuid[]) AS k(event_id, attempt_id)
 WHERE NOT EXISTS (SELECT FROM touched t WHERE t.event_id = k.event_id AND t.attempt_id = k.attempt_id)`
	// What was captured in the time has to be in a report, whether this one has it or not.
	sqlTouchWindow = `
INSERT INTO touched SELECT a.event_id, a.id FROM attempt a
 WHERE a.provider = $1 AND a.captured > 0 AND a.created_at >= $2 AND a.created_at < $3
   AND NOT EXISTS (SELECT FROM touched t WHERE t.event_id = a.event_id AND t.attempt_id = a.id)`
	sqlTouchReport = `INSERT INTO touched SELECT event_id, attempt_id FROM report WHERE kind <> 'payout' GROUP BY 1, 2`

	// sqlCompare keeps the payments that differ and counts all.
	sqlCompare = `
WITH there AS (
  SELECT s.event_id, s.attempt_id, s.payment_ref,
         coalesce(sum(s.amount) FILTER (WHERE s.kind = 'capture'), 0)::bigint AS captured,
         coalesce(sum(s.amount) FILTER (WHERE s.kind = 'refund'), 0)::bigint AS refunded,
         coalesce(sum(CASE s.kind WHEN 'dispute' THEN s.amount WHEN 'dispute_won' THEN -s.amount ELSE 0 END), 0)::bigint AS disputed,
         count(*) FILTER (WHERE s.kind = 'capture') AS captures,
         sum(s.fee)::bigint AS fee, min(s.currency) AS lo, max(s.currency) AS hi
    FROM settlement s JOIN touched t ON t.event_id = s.event_id AND t.attempt_id = s.attempt_id
   WHERE s.provider = $1 AND s.kind <> 'payout' GROUP BY 1, 2, 3),
both_sides AS (
  SELECT t.event_id, t.attempt_id, h.payment_ref, a.order_id, coalesce(a.amount, 0) AS amount, coalesce(a.currency, '') AS currency, a.dispute,
         coalesce(a.captured, 0) AS captured, coalesce(a.refunded, 0) AS refunded,
         coalesce(h.captured, 0) AS there_captured, coalesce(h.refunded, 0) AS there_refunded, coalesce(h.disputed, 0) AS there_disputed,
         coalesce(h.captures, 0) AS captures, CASE WHEN h.lo = h.hi THEN h.lo ELSE h.lo || ' and ' || h.hi END AS currencies, coalesce(h.fee, 0) AS fee
    FROM touched t LEFT JOIN there h ON h.event_id = t.event_id AND h.attempt_id = t.attempt_id
    LEFT JOIN attempt a ON a.event_id = t.event_id AND a.id = t.attempt_id AND a.provider = $1),
made AS (
  INSERT INTO differs
  SELECT * FROM both_sides b
   WHERE (b.order_id IS NULL AND b.there_captured + b.there_refunded + b.there_disputed > 0)
      OR b.captured <> b.there_captured OR b.refunded <> b.there_refunded OR b.currencies <> b.currency
      OR b.dispute = 'open' OR b.there_disputed > 0 AND b.dispute = ''
      OR b.there_captured > 0 AND b.fee <> (b.captured * $2 + 5000) / 10000)
SELECT count(*), coalesce(sum(there_captured - there_refunded), 0)::bigint, coalesce(sum(captured - refunded), 0)::bigint FROM both_sides`

	sqlDiffersTable = `
CREATE TEMP TABLE differs (event_id bigint, attempt_id uuid, payment_ref text, order_id uuid, amount bigint, currency text, dispute text,
  captured bigint, refunded bigint, there_captured bigint, there_refunded bigint, there_disputed bigint, captures bigint, currencies text, fee bigint) ON COMMIT DROP`

	// When our latest fact was booked tells a row that is late from one that is missing.
	sqlPairs = `
SELECT d.event_id, d.attempt_id, d.payment_ref, d.order_id, d.amount, d.currency, d.dispute, d.captured, d.refunded,
       d.there_captured, d.there_refunded, d.there_disputed, d.captures, coalesce(d.currencies, ''), d.fee, j.at
  FROM differs d
  LEFT JOIN LATERAL (SELECT max(j.at) AS at FROM journal j WHERE j.event_id = d.event_id AND j.id IN (
         d.attempt_id || ':capture:' || d.captured, d.attempt_id || ':late_money:' || d.captured,
         d.attempt_id || ':refunded:' || d.refunded, d.attempt_id || ':refunded_elsewhere:' || d.refunded)) j ON true
 ORDER BY d.event_id, d.attempt_id LIMIT $1`

	// Breaks about payments end when the payment was compared and does not differ so any
	// more; those about places when they are not found again. A row of a report stays
	// what it is until a person says what became of it.
	sqlEndOld = `
UPDATE money_break b SET state = 'cured', ended_at = now(), ended_by = 'reconcile', why = 'not found any more'
 WHERE b.provider = $1 AND b.state = 'open'
   AND (b.subject = ANY($2::text[]) AND b.class IN ('missing_here', 'missing_there', 'amount', 'currency', 'fee', 'dispute')
        OR b.class IN ('seats', 'timing'))
   AND NOT EXISTS (SELECT FROM unnest($3::text[], $4::text[]) AS o(class, subject) WHERE o.class = b.class AND o.subject = b.subject)`
)
