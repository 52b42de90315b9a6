-- Seats, counters, holds: the only tables the hottest write touches.

-- +goose Up
-- A seat row is the lease. Free = 'available', or 'held' and past held_until:
-- the time condition is in the statement that takes it, so nothing waits for a sweeper.
CREATE TABLE seat (
  event_id     bigint NOT NULL REFERENCES event,
  seat_id      int NOT NULL,
  class        text NOT NULL,
  state        text NOT NULL DEFAULT 'available' CHECK (state IN ('available', 'held', 'sold', 'blocked')),
  hold_id      uuid,
  hold_version int NOT NULL DEFAULT 0,      -- +1 at each take-over; fences late writers
  held_until   timestamptz,
  PRIMARY KEY (event_id, seat_id),
  CONSTRAINT seat_lease CHECK ((state = 'held') <= (hold_id IS NOT NULL AND held_until IS NOT NULL)),
  CONSTRAINT seat_sold_by_hold CHECK ((state = 'sold') <= (hold_id IS NOT NULL))
) WITH (fillfactor = 60);
CREATE INDEX seat_due ON seat (event_id, held_until) WHERE state = 'held';

-- An area (general admission) or a fare class: one exact counter.
CREATE TABLE counter (
  event_id bigint NOT NULL REFERENCES event,
  id       bigint NOT NULL,
  kind     text NOT NULL CHECK (kind IN ('area', 'class')),
  name     text NOT NULL,
  class    text NOT NULL,                   -- price class
  capacity int NOT NULL CHECK (capacity >= 0),
  overbook int NOT NULL DEFAULT 0 CHECK (overbook >= 0),
  excess   int NOT NULL DEFAULT 0 CHECK (excess >= 0),
  held     int NOT NULL DEFAULT 0 CHECK (held >= 0),
  sold     int NOT NULL DEFAULT 0 CHECK (sold >= 0),
  PRIMARY KEY (event_id, id),
  CONSTRAINT never_over CHECK (held + sold <= capacity + overbook + excess)
) WITH (fillfactor = 50);

-- The mutex of an account in an event; live holds are summed under its lock.
CREATE TABLE account_event (
  event_id      bigint NOT NULL,
  account_id    bigint NOT NULL,
  sold          int NOT NULL DEFAULT 0 CHECK (sold >= 0),
  first_hold_at timestamptz,
  budget        int,
  PRIMARY KEY (event_id, account_id)
);

CREATE TABLE hold (
  event_id      bigint NOT NULL,
  id            uuid NOT NULL,
  account_id    bigint NOT NULL,
  state         smallint NOT NULL CHECK (state IN (0, 1, 2, 3)), -- 0 expired 1 active 2 sold 3 released (or replaced)
  created_at    timestamptz NOT NULL,
  first_held_at timestamptz NOT NULL,
  held_until    timestamptz NOT NULL,
  extended      smallint NOT NULL DEFAULT 0,
  amount        bigint NOT NULL CHECK (amount >= 0),
  currency      char(3) NOT NULL,
  PRIMARY KEY (event_id, id)
);
CREATE INDEX hold_by_account ON hold (event_id, account_id);

-- counter.held = sum(qty) of its lines in state 1, counter.sold = of those in state 2:
-- a line changes state only in a transaction that holds its counter's row lock.
CREATE TABLE hold_line (
  event_id     bigint NOT NULL,
  hold_id      uuid NOT NULL,
  line         smallint NOT NULL,
  counter_id   bigint,
  seat_id      int,
  hold_version int NOT NULL DEFAULT 0,      -- the seat's version this line took; 0 for a counter
  account_id   bigint NOT NULL,
  qty          int NOT NULL CHECK (qty > 0),
  price        bigint NOT NULL CHECK (price >= 0), -- of one place, fixed by the hold
  state        smallint NOT NULL CHECK (state IN (0, 1, 2)), -- 1 held and counted 2 sold and counted 0 not counted
  held_until   timestamptz NOT NULL,
  PRIMARY KEY (event_id, hold_id, line),
  CONSTRAINT line_has_place CHECK (seat_id IS NOT NULL OR counter_id IS NOT NULL),
  CONSTRAINT seat_is_one CHECK (seat_id IS NULL OR qty = 1)
);
CREATE INDEX hold_line_due  ON hold_line (event_id, counter_id, held_until) WHERE state = 1;
CREATE INDEX hold_line_acct ON hold_line (event_id, account_id) WHERE state = 1;
CREATE INDEX hold_line_seat ON hold_line (event_id, seat_id) WHERE seat_id IS NOT NULL;

-- The last lock of a transaction; its number is the map version and the outbox seq of the event.
CREATE TABLE event_version (
  event_id bigint PRIMARY KEY REFERENCES event,
  v        bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

CREATE TABLE idempotency (
  event_id   bigint NOT NULL,
  account_id bigint NOT NULL,
  route      text NOT NULL,
  key        text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  body_hash  bytea NOT NULL,
  status     smallint NOT NULL,
  body       bytea NOT NULL,
  replays    int NOT NULL DEFAULT 0,        -- a replay writes, so that its commit waits for the standby too
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (event_id, account_id, route, key)
) WITH (fillfactor = 80);
CREATE INDEX idempotency_age ON idempotency (created_at);

GRANT SELECT, INSERT, UPDATE ON seat, counter, account_event, hold, hold_line, event_version TO ropeline_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency TO ropeline_app;

-- +goose Down
DROP TABLE idempotency, event_version, hold_line, hold, account_event, counter, seat;
