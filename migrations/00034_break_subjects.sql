-- Whether somebody closed a difference as it is, is asked before each is written.

-- +goose Up
CREATE INDEX break_by_subject ON money_break (class, subject); -- SHARE

-- +goose Down
DROP INDEX break_by_subject;
