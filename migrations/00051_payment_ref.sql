-- A provider's notice of a dispute names the payment by the provider's own id alone.

-- +goose Up
-- SHARE: writers of attempt wait while it is built.
CREATE INDEX attempt_by_payment ON attempt (provider, payment_ref) WHERE payment_ref IS NOT NULL;

-- +goose Down
DROP INDEX attempt_by_payment;
