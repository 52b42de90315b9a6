-- Tickets and the outbox.

-- +goose Up
-- Born with the confirmation; the partial unique index is the last line of defence
-- against a second sale, and lets a refunded seat be sold again.
CREATE TABLE ticket (
  event_id     bigint NOT NULL,
  id           uuid NOT NULL,
  order_id     uuid NOT NULL,
  line         smallint NOT NULL,
  unit         smallint NOT NULL,
  seat_id      int,
  counter_id   bigint,
  hold_version int NOT NULL,
  account_id   bigint NOT NULL,
  issued_at    timestamptz NOT NULL,
  revoked_at   timestamptz,
  PRIMARY KEY (event_id, id),
  CONSTRAINT ticket_line UNIQUE (event_id, order_id, line, unit)
);
CREATE UNIQUE INDEX one_live_ticket_a_seat ON ticket (event_id, seat_id) WHERE revoked_at IS NULL;
CREATE INDEX ticket_by_account ON ticket (account_id, issued_at DESC);

CREATE TABLE outbox_lane (lane smallint PRIMARY KEY);
INSERT INTO outbox_lane SELECT generate_series(0, 63);

-- (aggregate, seq): seq is the aggregate's version, raised under its own row lock,
-- so commit order is seq order. lane = hash of aggregate, modulo 64.
CREATE TABLE outbox (
  lane      smallint NOT NULL,              -- no foreign key: its FOR KEY SHARE would wait for the relay that owns the lane
  aggregate text NOT NULL,
  seq       bigint NOT NULL,
  kind      text NOT NULL,
  payload   jsonb NOT NULL,
  xid       xid8 NOT NULL DEFAULT pg_current_xact_id(),
  at        timestamptz NOT NULL DEFAULT now(),
  state     smallint NOT NULL DEFAULT 0,    -- 0 ready 1 done
  tries     smallint NOT NULL DEFAULT 0,
  next_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (aggregate, seq)
);
CREATE INDEX outbox_ready ON outbox (lane, aggregate, seq) WHERE state = 0;

GRANT SELECT, INSERT, UPDATE ON ticket, outbox TO ropeline_app;
GRANT SELECT ON outbox_lane TO ropeline_app;
GRANT UPDATE ON outbox_lane TO ropeline_app; -- FOR UPDATE needs it

-- +goose Down
DROP TABLE outbox, outbox_lane, ticket;
