-- The rows that a hold changes stay on their page and out of their indexes (HOT
-- updates): half of what an update costs is the new entries in every index.

-- +goose Up
-- Nothing asks for seats by the end of their lease: a take-over knows its seats, a map
-- reads all of them. The index made every hold of a seat a cold update.
DROP INDEX seat_due;
-- A key is written empty and filled with its answer, five times its size, before the
-- COMMIT: room for that on the page. Likewise an account's first hold.
-- SHARE UPDATE EXCLUSIVE, for pages from now on.
ALTER TABLE idempotency   SET (fillfactor = 20);
ALTER TABLE account_event SET (fillfactor = 50);

-- +goose Down
ALTER TABLE account_event RESET (fillfactor);
ALTER TABLE idempotency   SET (fillfactor = 80);
CREATE INDEX seat_due ON seat (event_id, held_until) WHERE state = 'held';
