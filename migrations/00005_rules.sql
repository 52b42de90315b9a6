-- Rules of a hold: kinds of seats, rows and their quality, ticket types, presales,
-- the budget of holds, and the audit of limits.

-- +goose Up
-- Adding columns with constant defaults takes ACCESS EXCLUSIVE for a moment and
-- rewrites nothing.
ALTER TABLE venue_seat
  ADD COLUMN x       real NOT NULL DEFAULT 0,       -- on the plan; tells neighbours from an aisle between them
  ADD COLUMN y       real NOT NULL DEFAULT 0,
  ADD COLUMN kind    text NOT NULL DEFAULT 'standard' CHECK (kind IN ('standard', 'accessible', 'companion')),
  ADD COLUMN quality int NOT NULL DEFAULT 0;        -- of the row; "best available" begins with the highest

UPDATE venue_seat s SET x = g.x, y = g.y
  FROM (SELECT v.id AS venue_id, (seat->>0)::int AS seat_id, (seat->>2)::real AS x, (seat->>3)::real AS y
          FROM venue v,
               jsonb_array_elements(coalesce(convert_from(v.geometry, 'UTF8')::jsonb->'sections', '[]')) section,
               jsonb_array_elements(section->'rows') line,
               jsonb_array_elements(line->'seats') seat) g
 WHERE s.venue_id = g.venue_id AND s.seat_id = g.seat_id;

ALTER TABLE event
  ADD COLUMN orphan_rule   boolean NOT NULL DEFAULT false, -- no hold may leave a single seat alone
  ADD COLUMN access_until  timestamptz,                    -- accessible and companion seats are kept until then; NULL: always
  ADD COLUMN hold_budget   int NOT NULL DEFAULT 20 CHECK (hold_budget >= 0), -- unbought holds of an account in a day; 0: no limit
  ADD COLUMN seats_counted boolean NOT NULL DEFAULT false; -- some seats count in a class too

ALTER TABLE seat
  ADD COLUMN kind       text NOT NULL DEFAULT 'standard' CHECK (kind IN ('standard', 'accessible', 'companion')),
  ADD COLUMN counter_id bigint;                     -- the fare class a seat of it counts in

ALTER TABLE hold_line
  ADD COLUMN class text;                            -- ticket type, if it is not the place's own price class

-- Each hold writes its account's row now: room for the new version beside the old.
ALTER TABLE account_event SET (fillfactor = 70);

-- A presale opens an event earlier for the accounts that redeemed one of its codes.
CREATE TABLE presale (
  event_id  bigint NOT NULL REFERENCES event,
  id        smallint NOT NULL,
  name      text NOT NULL,
  starts_at timestamptz NOT NULL,
  ends_at   timestamptz,                            -- NULL: until the event is on sale to everybody
  PRIMARY KEY (event_id, id),
  CONSTRAINT presale_name UNIQUE (event_id, name),
  CONSTRAINT presale_window CHECK (ends_at > starts_at)
);
-- Codes are kept as hashes: who reads the table cannot use them.
CREATE TABLE presale_code (
  event_id  bigint NOT NULL,
  code_hash bytea NOT NULL,                         -- SHA-256
  presale   smallint NOT NULL,
  uses      int NOT NULL CHECK (uses > 0),
  used      int NOT NULL DEFAULT 0,
  PRIMARY KEY (event_id, code_hash),
  FOREIGN KEY (event_id, presale) REFERENCES presale,
  CONSTRAINT code_uses CHECK (used BETWEEN 0 AND uses)
) WITH (fillfactor = 80);
-- Redeeming a code is a transaction of its own. A hold reads what it left, without a
-- lock: no code ever delays a hold.
CREATE TABLE presale_grant (
  event_id   bigint NOT NULL,
  account_id bigint NOT NULL,
  presale    smallint NOT NULL,
  code_hash  bytea NOT NULL,
  at         timestamptz NOT NULL,
  PRIMARY KEY (event_id, account_id, presale)
);
CREATE INDEX presale_grant_by_code ON presale_grant (event_id, code_hash);
-- The last tries of an account or a network, newest first, across all processes.
CREATE TABLE presale_try (
  subject text PRIMARY KEY,
  tries   timestamptz[] NOT NULL
) WITH (fillfactor = 70);

-- Every change of a limit, whoever makes it: an import, staff, an operator with psql.
CREATE TABLE counter_limit (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event_id   bigint NOT NULL,
  counter_id bigint NOT NULL,
  at         timestamptz NOT NULL DEFAULT clock_timestamp(),
  actor      text NOT NULL,                         -- ropeline.actor, else the database's role
  capacity_before int NOT NULL, overbook_before int NOT NULL,
  capacity   int NOT NULL,
  overbook   int NOT NULL,
  held       int NOT NULL,
  sold       int NOT NULL,
  excess     int NOT NULL
);
CREATE INDEX counter_limit_by_counter ON counter_limit (event_id, counter_id, id);
-- +goose StatementBegin
CREATE FUNCTION counter_limit_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO counter_limit (event_id, counter_id, actor, capacity_before, overbook_before, capacity, overbook, held, sold, excess)
  VALUES (NEW.event_id, NEW.id, coalesce(nullif(current_setting('ropeline.actor', true), ''), session_user),
          OLD.capacity, OLD.overbook, NEW.capacity, NEW.overbook, NEW.held, NEW.sold, NEW.excess);
  RETURN NULL;
END $$;
-- +goose StatementEnd
-- OF: an UPDATE of the sums alone, which is what every hold does, does not come here.
CREATE TRIGGER counter_limit_changed AFTER UPDATE OF capacity, overbook ON counter FOR EACH ROW
  WHEN (OLD.capacity <> NEW.capacity OR OLD.overbook <> NEW.overbook) EXECUTE FUNCTION counter_limit_changed();

GRANT SELECT, INSERT, UPDATE ON presale, presale_code, presale_try TO ropeline_app;
GRANT DELETE ON presale_try TO ropeline_app;
GRANT SELECT, INSERT ON presale_grant TO ropeline_app;
GRANT SELECT ON counter_limit TO ropeline_app;

-- +goose Down
DROP TRIGGER counter_limit_changed ON counter;
DROP FUNCTION counter_limit_changed;
DROP TABLE counter_limit, presale_try, presale_grant, presale_code, presale;
ALTER TABLE hold_line DROP COLUMN class;
ALTER TABLE seat DROP COLUMN kind, DROP COLUMN counter_id;
ALTER TABLE event DROP COLUMN orphan_rule, DROP COLUMN access_until, DROP COLUMN hold_budget, DROP COLUMN seats_counted;
ALTER TABLE venue_seat DROP COLUMN x, DROP COLUMN y, DROP COLUMN kind, DROP COLUMN quality;
