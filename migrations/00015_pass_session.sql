-- One pass, one account: who buys with a visitor of the waiting room. A pass that was
-- copied to somebody else buys nothing there.

-- +goose Up
CREATE TABLE pass_session (
  visitor      text PRIMARY KEY CHECK (length(visitor) BETWEEN 1 AND 64),
  account_id   bigint NOT NULL REFERENCES account,
  sign_in      timestamptz NOT NULL, -- the end of the sign-in that buys: a later one takes over
  token        bytea NOT NULL CHECK (length(token) = 16), -- of its hash, to tell two of one second apart
  ends_at      timestamptz NOT NULL, -- the session's hard end: after it the visitor has no pass
  contested_at timestamptz           -- another account came with this visitor's pass; NULL: none has
);
CREATE INDEX pass_session_ended ON pass_session (ends_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON pass_session TO ropeline_app;

-- +goose Down
DROP TABLE pass_session;
