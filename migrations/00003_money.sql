-- Orders, payment attempts, the webhook inbox and the ledger.

-- +goose Up
CREATE TABLE orders (
  event_id        bigint NOT NULL,
  id              uuid NOT NULL,
  account_id      bigint NOT NULL,
  hold_id         uuid NOT NULL,
  state           text NOT NULL CHECK (state IN ('pending_payment', 'verifying', 'confirmed', 'captured',
                    'partly_refunded', 'refunded', 'expired', 'expired_refunded', 'cancelled')),
  reason          text NOT NULL DEFAULT '',
  disputed        boolean NOT NULL DEFAULT false,
  amount          bigint NOT NULL CHECK (amount >= 0),
  currency        char(3) NOT NULL,
  fee             bigint NOT NULL CHECK (fee >= 0),   -- platform's part of amount
  current_attempt uuid,
  attempts        smallint NOT NULL DEFAULT 0,
  version         bigint NOT NULL DEFAULT 0,          -- outbox seq of aggregate "order:<event>:<id>"
  created_at      timestamptz NOT NULL,
  updated_at      timestamptz NOT NULL,
  PRIMARY KEY (event_id, id),
  CONSTRAINT one_order_a_hold UNIQUE (event_id, hold_id)
) WITH (fillfactor = 70);
CREATE INDEX orders_by_account ON orders (account_id, created_at DESC);
CREATE INDEX orders_waiting ON orders (event_id, updated_at) WHERE state IN ('pending_payment', 'verifying');

-- Facts only grow; want goes none -> keep -> give_back or none -> give_back, never back.
-- What is to be done next is a function of (facts, want).
CREATE TABLE attempt (
  event_id     bigint NOT NULL,
  id           uuid NOT NULL,
  order_id     uuid NOT NULL,
  provider     text NOT NULL,
  phase        text NOT NULL CHECK (phase IN ('created', 'sent', 'unknown', 'answered', 'abandoned')), -- how far the call got
  want         text NOT NULL DEFAULT 'none' CHECK (want IN ('none', 'keep', 'give_back')),
  card_token   text NOT NULL,               -- the provider's token; card data never comes here
  payment_ref  text,                        -- the provider's id of the payment
  amount       bigint NOT NULL CHECK (amount >= 0),
  currency     char(3) NOT NULL,
  authorized   bigint NOT NULL DEFAULT 0 CHECK (authorized >= 0),
  captured     bigint NOT NULL DEFAULT 0 CHECK (captured >= 0),
  refunded     bigint NOT NULL DEFAULT 0 CHECK (refunded >= 0),
  declined     boolean NOT NULL DEFAULT false,
  voided       boolean NOT NULL DEFAULT false,
  dispute      text NOT NULL DEFAULT '' CHECK (dispute IN ('', 'open', 'won', 'lost')),
  reason       text NOT NULL DEFAULT '',
  created_at   timestamptz NOT NULL,
  sent_at      timestamptz,
  next_at      timestamptz NOT NULL,        -- when a loop should look at it again
  checks       smallint NOT NULL DEFAULT 0,
  not_found    smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (event_id, id),
  CONSTRAINT facts_imply CHECK (captured <= greatest(authorized, captured) AND refunded <= captured)
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX one_live_attempt ON attempt (event_id, order_id) WHERE phase IN ('created', 'sent', 'unknown');
CREATE INDEX attempt_by_order ON attempt (event_id, order_id);
CREATE INDEX attempt_due ON attempt (next_at)
  WHERE phase IN ('created', 'sent', 'unknown')
     OR (want = 'keep' AND authorized > 0 AND captured = 0 AND NOT voided)
     OR (want = 'give_back' AND authorized > 0 AND NOT voided AND (captured = 0 OR refunded < captured));

CREATE TABLE refund (
  event_id   bigint NOT NULL,
  id         uuid NOT NULL,                 -- also the provider's idempotency key
  order_id   uuid NOT NULL,
  attempt_id uuid NOT NULL,
  amount     bigint NOT NULL CHECK (amount > 0),
  currency   char(3) NOT NULL,
  state      text NOT NULL CHECK (state IN ('reserved', 'done')),
  reason     text NOT NULL,
  created_at timestamptz NOT NULL,
  done_at    timestamptz,
  next_at    timestamptz NOT NULL,
  tries      smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (event_id, id)
);
CREATE INDEX refund_due ON refund (next_at) WHERE state = 'reserved';

-- Global: stored before the provider is answered, processed afterwards.
CREATE TABLE webhook_inbox (
  provider    text NOT NULL,
  id          text NOT NULL,                -- the provider's event id: a duplicate is no second row
  body        bytea NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  state       text NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'done', 'unmatched', 'quarantined')),
  tries       smallint NOT NULL DEFAULT 0,
  next_at     timestamptz NOT NULL DEFAULT now(),
  error       text NOT NULL DEFAULT '',
  PRIMARY KEY (provider, id)
);
CREATE INDEX webhook_due ON webhook_inbox (next_at) WHERE state IN ('new', 'unmatched');

-- Double entry, append only. amount > 0 is a debit, < 0 a credit.
CREATE TABLE journal (
  event_id bigint NOT NULL,
  id       text NOT NULL,                   -- attempt or order, kind, cumulative amount: a repeated fact posts nothing
  kind     text NOT NULL,
  order_id uuid NOT NULL,
  at       timestamptz NOT NULL,
  xid      xid8 NOT NULL DEFAULT pg_current_xact_id(), -- background readers order by this, never by "id > last"
  PRIMARY KEY (event_id, id)
);
CREATE TABLE posting (
  event_id   bigint NOT NULL,
  journal_id text NOT NULL,
  line       smallint NOT NULL,
  account    text NOT NULL,                 -- e.g. receivable:fakepay, clearing:fakepay, payable:<organiser>, revenue, refunds_due
  amount     bigint NOT NULL CHECK (amount <> 0),
  currency   char(3) NOT NULL,
  PRIMARY KEY (event_id, journal_id, line),
  FOREIGN KEY (event_id, journal_id) REFERENCES journal
);
CREATE INDEX posting_by_account ON posting (event_id, account);

-- A statement trigger with a transition table: one check per INSERT, not per row.
-- All postings of a journal are therefore written by one INSERT.
-- +goose StatementBegin
CREATE FUNCTION posting_balances() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE bad record;
BEGIN
  SELECT event_id, journal_id, currency, sum(amount) AS s INTO bad
    FROM added GROUP BY 1, 2, 3 HAVING sum(amount) <> 0 LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'journal % of event % is off by % %', bad.journal_id, bad.event_id, bad.s, bad.currency
      USING ERRCODE = '23514', CONSTRAINT = 'posting_balances';
  END IF;
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER posting_balances AFTER INSERT ON posting
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION posting_balances();

GRANT SELECT, INSERT, UPDATE ON orders, attempt, refund, webhook_inbox TO ropeline_app;
GRANT SELECT, INSERT ON journal, posting TO ropeline_app;

-- +goose Down
DROP TABLE posting, journal, webhook_inbox, refund, attempt, orders;
DROP FUNCTION posting_balances;
