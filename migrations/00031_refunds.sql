-- Refunds by policy and by line, approvals by two people, and the list of named
-- differences that somebody has to look at.

-- +goose Up
CREATE TABLE refund_policy (
  event_id      bigint PRIMARY KEY REFERENCES event,
  approval_over bigint NOT NULL CHECK (approval_over >= 0) -- of one order, minor units; more needs two approvals
);
-- The tier with the largest hours_before that is not more than what is left holds.
CREATE TABLE refund_tier (
  event_id      bigint NOT NULL REFERENCES event,
  hours_before  int NOT NULL CHECK (hours_before >= 0),
  fee_bp        int NOT NULL CHECK (fee_bp BETWEEN 0 AND 10000),
  fee_per_place bigint NOT NULL CHECK (fee_per_place >= 0),
  PRIMARY KEY (event_id, hours_before)
);

-- What staff asked for and may not give alone. Who, what and how much never change: the
-- application may write the decision and nothing else.
CREATE TABLE refund_request (
  event_id     bigint NOT NULL,
  id           uuid NOT NULL,
  order_id     uuid NOT NULL,
  lines        smallint[] NOT NULL,
  amount       bigint NOT NULL CHECK (amount > 0),
  kept         bigint NOT NULL CHECK (kept >= 0),
  currency     char(3) NOT NULL,
  why          text NOT NULL,
  requested_by text NOT NULL,
  requested_at timestamptz NOT NULL,
  state        text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'done', 'rejected')),
  decided_at   timestamptz,
  decided_by   text,
  PRIMARY KEY (event_id, id),
  UNIQUE (event_id, id, requested_by, amount)
);
CREATE UNIQUE INDEX one_waiting_request ON refund_request (event_id, order_id) WHERE state = 'waiting';

-- One row an approver: the key makes them distinct, the check keeps the one who asked
-- out, the foreign key binds the approval to the very amount.
CREATE TABLE refund_approval (
  event_id     bigint NOT NULL,
  request_id   uuid NOT NULL,
  approver     text NOT NULL,
  requested_by text NOT NULL,
  amount       bigint NOT NULL,
  at           timestamptz NOT NULL,
  PRIMARY KEY (event_id, request_id, approver),
  CONSTRAINT no_self_approval CHECK (approver <> requested_by),
  CONSTRAINT approved_as_asked FOREIGN KEY (event_id, request_id, requested_by, amount)
    REFERENCES refund_request (event_id, id, requested_by, amount)
);

-- No rewrite: ACCESS EXCLUSIVE for a moment.
ALTER TABLE refund
  ADD COLUMN kept        bigint NOT NULL DEFAULT 0 CHECK (kept >= 0), -- of the price of its lines, not given back
  ADD COLUMN lines       smallint[],                  -- NULL: of no lines (late money, returned elsewhere)
  ADD COLUMN asked_by    text NOT NULL DEFAULT '',
  ADD COLUMN request_id  uuid,                        -- the approved request it carries out
  ADD COLUMN free_limit  bigint,                      -- of staff: what one person may give back of the order
  ADD COLUMN refusals    smallint NOT NULL DEFAULT 0; -- definite ones: each takes a new key
CREATE UNIQUE INDEX refund_of_request ON refund (event_id, request_id) WHERE request_id IS NOT NULL;
CREATE INDEX refund_by_order ON refund (event_id, order_id);

-- Every difference that was found between the provider, the books and the places.
-- Global. Open ones are unique by what they are about: found again, it is the same one.
CREATE TABLE money_break (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  class     text NOT NULL,
  provider  text NOT NULL,
  subject   text NOT NULL,                            -- what differs: a payment's reference, a row of the report, a refund
  event_id  bigint,
  here      bigint,                                   -- minor units; NULL: nothing there
  there     bigint,
  currency  text NOT NULL DEFAULT '',
  detail    text NOT NULL,
  owner     text NOT NULL,                            -- whose work it is
  stops     boolean NOT NULL,                         -- new payments are switched off for it
  state     text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'cured', 'closed')),
  found_at  timestamptz NOT NULL DEFAULT now(),
  seen_at   timestamptz NOT NULL DEFAULT now(),
  ended_at  timestamptz,
  ended_by  text NOT NULL DEFAULT '',
  why       text NOT NULL DEFAULT ''
);
CREATE UNIQUE INDEX one_open_break ON money_break (provider, class, subject) WHERE state = 'open';
CREATE INDEX break_by_time ON money_break (found_at);

GRANT SELECT, INSERT, UPDATE ON refund_policy, money_break TO ropeline_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON refund_tier TO ropeline_app;
GRANT SELECT, INSERT, UPDATE (state, decided_at, decided_by) ON refund_request TO ropeline_app;
GRANT SELECT, INSERT ON refund_approval TO ropeline_app;

-- +goose Down
DROP TABLE money_break;
DROP INDEX refund_by_order, refund_of_request;
ALTER TABLE refund DROP COLUMN kept, DROP COLUMN lines, DROP COLUMN asked_by, DROP COLUMN request_id, DROP COLUMN free_limit, DROP COLUMN refusals;
DROP TABLE refund_approval, refund_request, refund_tier, refund_policy;
