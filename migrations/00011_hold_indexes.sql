-- The two indexes over live lines become indexes that only their own statements can
-- use: each has a condition that is always true and that only those statements repeat.
--
-- Before the first ANALYZE of a sale the planner takes a table for nearly empty, and
-- then every index that begins with event_id looks as good as the right one: the live
-- holds of 256 accounts were read by going 256 times through all live lines of the
-- event. A sale is at its hottest before statistics exist.

-- +goose Up
-- SHARE lock on hold_line while each is built: run before the sale, not in it.
DROP INDEX hold_line_due;
DROP INDEX hold_line_acct;
CREATE INDEX hold_line_due  ON hold_line (event_id, counter_id, held_until) WHERE state = 1 AND qty > 0;
CREATE INDEX hold_line_acct ON hold_line (event_id, account_id)             WHERE state = 1 AND account_id > 0;

-- +goose Down
DROP INDEX hold_line_due;
DROP INDEX hold_line_acct;
CREATE INDEX hold_line_due  ON hold_line (event_id, counter_id, held_until) WHERE state = 1;
CREATE INDEX hold_line_acct ON hold_line (event_id, account_id)             WHERE state = 1;
