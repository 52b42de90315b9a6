-- Reconciliation: what the providers' reports said, what a run found, and the switch of
-- new payments.

-- +goose Up
-- Global. Every movement of money that a report has shown, once. event_id 0 and the zero
-- attempt: of no payment of ours.
CREATE TABLE settlement (
  event_id    bigint NOT NULL,
  attempt_id  uuid NOT NULL,
  provider    text NOT NULL,
  id          text NOT NULL,                   -- the provider's, of the movement
  kind        text NOT NULL,
  payment_ref text,                            -- only where we do not know the payment
  amount      bigint NOT NULL,
  fee         bigint NOT NULL,
  currency    char(3) NOT NULL,
  at          timestamptz NOT NULL,
  PRIMARY KEY (event_id, attempt_id, provider, id)
);

CREATE TABLE recon_run (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  provider   text NOT NULL,
  since      timestamptz NOT NULL,
  until      timestamptz NOT NULL,
  started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at   timestamptz,                      -- NULL: it runs, or died; the next one does its work
  rows       bigint NOT NULL DEFAULT 0,
  new_rows   bigint NOT NULL DEFAULT 0,
  payments   bigint NOT NULL DEFAULT 0,
  there      bigint NOT NULL DEFAULT 0,        -- money kept by the compared payments: at the provider,
  here       bigint NOT NULL DEFAULT 0,        -- and here
  found      int NOT NULL DEFAULT 0,
  cured      int NOT NULL DEFAULT 0
);
CREATE INDEX recon_run_by_provider ON recon_run (provider, id);

-- Append only: the last row of a provider says whether it takes new payments, and why.
CREATE TABLE payment_switch (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  provider text NOT NULL,
  on_      boolean NOT NULL,
  reason   text NOT NULL,                      -- a code that buyers may see
  why      text NOT NULL,                      -- for operators
  actor    text NOT NULL,
  at       timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX payment_switch_last ON payment_switch (provider, id);

-- Payments of a time are found without reading all: nearly free to keep. SHARE.
CREATE INDEX attempt_by_time ON attempt USING brin (created_at);

GRANT SELECT, INSERT ON settlement, payment_switch TO ropeline_app;
GRANT SELECT, INSERT, UPDATE ON recon_run TO ropeline_app;

-- +goose Down
DROP INDEX attempt_by_time;
DROP TABLE payment_switch, recon_run, settlement;
