-- Accounts, venues, events, prices. Everything here is written by imports and
-- staff and only read by the sale.

-- +goose Up
-- The application's role owns nothing: what it may do is granted table by table,
-- so that "append only" is a privilege and not a habit.
-- +goose StatementBegin
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'ropeline_app') THEN
    CREATE ROLE ropeline_app LOGIN;
  END IF;
END $$;
-- +goose StatementEnd

-- Global (not per event): a person who buys.
CREATE TABLE account (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  subject    text NOT NULL UNIQUE,          -- "iss|sub" of the bearer token
  email      text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Global: geometry is immutable and named by its content hash.
CREATE TABLE venue (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  slug          text NOT NULL UNIQUE,
  name          text NOT NULL,
  city          text NOT NULL,
  country       text NOT NULL,
  geometry_hash text NOT NULL,              -- SHA-256, hex, of geometry
  geometry      bytea NOT NULL,             -- the JSON served at /v1/geometry/{hash}
  seat_count    int NOT NULL CHECK (seat_count >= 0)
);

-- seat_id is 1..seat_count without gaps, in the order of the geometry document.
CREATE TABLE venue_seat (
  venue_id bigint NOT NULL REFERENCES venue,
  seat_id  int NOT NULL CHECK (seat_id > 0),
  section  text NOT NULL,
  row_name text NOT NULL,
  number   text NOT NULL,
  class    text NOT NULL,                   -- price class, mapped to a price by the event
  PRIMARY KEY (venue_id, seat_id)
);

CREATE TABLE event (
  id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  slug            text NOT NULL UNIQUE,     -- the public id
  venue_id        bigint REFERENCES venue,  -- NULL: a trip without a seat map
  organiser       text NOT NULL,
  title           text NOT NULL,
  description     text NOT NULL DEFAULT '',
  place           text NOT NULL,
  route_from      text,
  route_to        text,
  starts_at       timestamptz NOT NULL,
  time_zone       text NOT NULL,            -- IANA name; what people are shown
  currency        char(3) NOT NULL,
  state           text NOT NULL DEFAULT 'on_sale' CHECK (state IN ('draft', 'on_sale', 'closed', 'cancelled')),
  on_sale_at      timestamptz,              -- NULL: at once
  off_sale_at     timestamptz,              -- NULL: until closed
  max_per_account int NOT NULL DEFAULT 6 CHECK (max_per_account > 0),
  hold_ttl        interval NOT NULL DEFAULT '8 minutes',
  extend          text NOT NULL DEFAULT 'near_end' CHECK (extend IN ('never', 'near_end', 'at_payment_start', 'while_pending')),
  extend_by       interval NOT NULL DEFAULT '2 minutes',
  hold_cap        interval NOT NULL DEFAULT '20 minutes',
  late_policy     text NOT NULL DEFAULT 'refund' CHECK (late_policy IN ('refund', 'retake')),
  fee_bp          int NOT NULL DEFAULT 500 CHECK (fee_bp BETWEEN 0 AND 10000), -- platform's share of the price, in 1/10000
  created_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX event_by_start ON event (starts_at);

CREATE TABLE price_level (
  event_id bigint NOT NULL REFERENCES event,
  class    text NOT NULL,
  name     text NOT NULL,
  amount   bigint NOT NULL CHECK (amount >= 0),  -- minor units of event.currency
  PRIMARY KEY (event_id, class)
);

GRANT SELECT, INSERT, UPDATE ON account, venue, venue_seat, event, price_level TO ropeline_app;
GRANT DELETE ON venue_seat TO ropeline_app; -- the seats of a venue that no event uses yet may be replaced

-- +goose Down
DROP TABLE price_level, event, venue_seat, venue, account;
