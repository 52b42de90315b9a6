-- What the resolver has to remember of a payment, and of a refund that must not be sent twice.

-- +goose Up
-- No rewrite of the tables: ACCESS EXCLUSIVE for a moment.
ALTER TABLE attempt
  ADD COLUMN asked_at    timestamptz,                                        -- the last question, or the last sending
  ADD COLUMN quiet_ms    bigint NOT NULL DEFAULT 0 CHECK (quiet_ms >= 0),    -- how long the provider, being there, has not known it
  ADD COLUMN watch_until timestamptz;                                        -- abandoned, but money may still appear: asked daily until then
-- Only at providers without idempotency keys: when the request last left.
ALTER TABLE refund ADD COLUMN sent_at timestamptz;
-- SHARE: writers of attempt wait while it is built; it is nearly empty.
CREATE INDEX attempt_watched ON attempt (next_at) WHERE watch_until IS NOT NULL;
-- Webhooks are kept 90 days.
CREATE INDEX webhook_age ON webhook_inbox (received_at);
GRANT DELETE ON webhook_inbox TO ropeline_app;

-- +goose Down
REVOKE DELETE ON webhook_inbox FROM ropeline_app;
DROP INDEX webhook_age, attempt_watched;
ALTER TABLE refund DROP COLUMN sent_at;
ALTER TABLE attempt DROP COLUMN watch_until, DROP COLUMN quiet_ms, DROP COLUMN asked_at;
