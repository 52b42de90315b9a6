-- What a hold writes, and nothing more: each index of a table is one more page to
-- change for each of its rows, and they were most of what a hold cost.

-- +goose Up
-- All short: ACCESS EXCLUSIVE for a moment, but for the indexes that are built anew
-- (SHARE lock meanwhile). Run before a sale, not in it.

-- The live places of an account are summed from its holds, which have an index by
-- account anyhow, and not from their lines. All lines of a live hold are live: the
-- number is fixed when the hold is taken.
ALTER TABLE hold ADD COLUMN places int NOT NULL DEFAULT 0 CHECK (places >= 0);
UPDATE hold h SET places = x.n
  FROM (SELECT event_id, hold_id, sum(qty)::int AS n FROM hold_line GROUP BY 1, 2) x
 WHERE h.event_id = x.event_id AND h.id = x.hold_id;
DROP INDEX hold_line_acct;
DROP INDEX hold_by_account;
CREATE INDEX hold_by_account ON hold (event_id, account_id, held_until);

-- Only counters have sums from which a due line must be taken. A seat's lease ends by
-- its time, in the seat's own row: nobody looks for its line.
DROP INDEX hold_line_due;
CREATE INDEX hold_line_due ON hold_line (event_id, counter_id, held_until) WHERE state = 1 AND counter_id IS NOT NULL;

-- The story of a seat is asked for by one person a week: it may read an event's lines.
DROP INDEX hold_line_seat;

-- Keys are written once, with their answer, in the order of time: a summary of each
-- range of pages finds the old ones.
DROP INDEX idempotency_age;
CREATE INDEX idempotency_age ON idempotency USING brin (created_at) WITH (pages_per_range = 32);
ALTER TABLE idempotency SET (fillfactor = 90);

-- +goose Down
ALTER TABLE idempotency SET (fillfactor = 20);
DROP INDEX idempotency_age;
CREATE INDEX idempotency_age ON idempotency (created_at);
CREATE INDEX hold_line_seat ON hold_line (event_id, seat_id) WHERE seat_id IS NOT NULL;
DROP INDEX hold_line_due;
CREATE INDEX hold_line_due  ON hold_line (event_id, counter_id, held_until) WHERE state = 1 AND qty > 0;
CREATE INDEX hold_line_acct ON hold_line (event_id, account_id)             WHERE state = 1 AND account_id > 0;
DROP INDEX hold_by_account;
CREATE INDEX hold_by_account ON hold (event_id, account_id);
ALTER TABLE hold DROP COLUMN places;
