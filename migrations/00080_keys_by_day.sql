-- Idempotency keys by day: a day's keys are given up as a whole, which costs nothing, where
-- deleting them row by row read and wrote the largest table of a sale once more.
--
-- Six partitions take turns: that of day d is d modulo 6. Those of yesterday's yesterday's
-- yesterday up to tomorrow are asked for a key (tomorrow's: the clock of a new primary may be
-- a moment behind the old one's); the sixth is nobody's, and emptied. TRUNCATE of a partition
-- that no statement touches waits for nobody and lets nobody wait; DROP and DETACH would take
-- the whole table from everybody, and CREATE at run time needs a role that may create.

-- +goose Up
-- ACCESS EXCLUSIVE while the keys of the last three days are carried over: run before a
-- sale, not in it.
ALTER TABLE idempotency RENAME TO idempotency_before;
ALTER INDEX idempotency_pkey RENAME TO idempotency_before_pkey;
CREATE TABLE idempotency (
  slot       smallint NOT NULL,             -- day since 1970 (UTC) modulo 6
  event_id   bigint NOT NULL,
  account_id bigint NOT NULL,
  id         uuid NOT NULL,                 -- the first half of SHA-256(route|key): as unique as both, a third of the index
  body_hash  bytea NOT NULL,
  status     smallint NOT NULL,
  body       bytea NOT NULL,
  replays    int NOT NULL DEFAULT 0,        -- a replay writes, so that its commit waits for the standby too
  PRIMARY KEY (event_id, account_id, id, slot)
) PARTITION BY LIST (slot);
CREATE TABLE idempotency_0 PARTITION OF idempotency FOR VALUES IN (0) WITH (fillfactor = 90);
CREATE TABLE idempotency_1 PARTITION OF idempotency FOR VALUES IN (1) WITH (fillfactor = 90);
CREATE TABLE idempotency_2 PARTITION OF idempotency FOR VALUES IN (2) WITH (fillfactor = 90);
CREATE TABLE idempotency_3 PARTITION OF idempotency FOR VALUES IN (3) WITH (fillfactor = 90);
CREATE TABLE idempotency_4 PARTITION OF idempotency FOR VALUES IN (4) WITH (fillfactor = 90);
CREATE TABLE idempotency_5 PARTITION OF idempotency FOR VALUES IN (5) WITH (fillfactor = 90);
INSERT INTO idempotency (slot, event_id, account_id, id, body_hash, status, body, replays)
SELECT floor(extract(epoch FROM created_at) / 86400)::bigint % 6, event_id, account_id,
       encode(substring(sha256(convert_to(route || '|' || key, 'UTF8')) FOR 16), 'hex')::uuid, body_hash, status, body, replays
  FROM idempotency_before WHERE created_at > now() - interval '3 days';
DROP TABLE idempotency_before;
GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency TO ropeline_app;
GRANT SELECT, TRUNCATE ON idempotency_0, idempotency_1, idempotency_2, idempotency_3, idempotency_4, idempotency_5 TO ropeline_app;

-- +goose Down
-- The keys are forgotten: of a hash nothing can be told back.
DROP TABLE idempotency;
CREATE TABLE idempotency (
  event_id bigint NOT NULL, account_id bigint NOT NULL, route text NOT NULL, key text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  body_hash bytea NOT NULL, status smallint NOT NULL, body bytea NOT NULL, replays int NOT NULL DEFAULT 0, created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (event_id, account_id, route, key)
) WITH (fillfactor = 90);
CREATE INDEX idempotency_age ON idempotency USING brin (created_at) WITH (pages_per_range = 32);
GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency TO ropeline_app;
