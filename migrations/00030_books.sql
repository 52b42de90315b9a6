-- The chart of accounts as a rule of the table, and what is folded from the postings in
-- the background: balances, and a chain of seals over everything folded.

-- +goose Up
-- Every posting is checked against the chart; existing ones are read once under ACCESS EXCLUSIVE.
ALTER TABLE posting ADD CONSTRAINT account_in_chart CHECK (split_part(account, ':', 1) IN (
  'receivable', 'clearing', 'dispute', 'bank', 'provider_fees', 'payable', 'fees_kept', 'revenue', 'refunds_due'));
-- Readers that need all rows in some order go by this, never by "id > last". SHARE.
CREATE INDEX journal_by_xid ON journal (xid);

-- Folded from postings whose transaction is over for everybody. Derived: it may be emptied
-- and folded again, and `bookingd ledger verify` recomputes it.
CREATE TABLE ledger_balance (
  event_id bigint NOT NULL,                 -- 0: the house, of no event
  account  text NOT NULL,
  currency char(3) NOT NULL,
  balance  bigint NOT NULL,
  postings bigint NOT NULL,
  PRIMARY KEY (event_id, account, currency)
) WITH (fillfactor = 70);

-- One row a fold: which transactions it took in, and a digest over the seal before and
-- every journal and posting of them. A change or a loss below a seal shows for ever.
CREATE TABLE ledger_seal (
  n        bigint PRIMARY KEY,
  xid_from xid8 NOT NULL,                   -- inclusive
  xid_to   xid8 NOT NULL,                   -- exclusive; the cursor of the next fold
  journals bigint NOT NULL,
  postings bigint NOT NULL,
  digest   bytea NOT NULL,
  at       timestamptz NOT NULL DEFAULT clock_timestamp()
);

GRANT SELECT, INSERT, UPDATE ON ledger_balance TO ropeline_app;
GRANT SELECT, INSERT ON ledger_seal TO ropeline_app;

-- +goose Down
DROP TABLE ledger_seal, ledger_balance;
DROP INDEX journal_by_xid;
ALTER TABLE posting DROP CONSTRAINT account_in_chart;
