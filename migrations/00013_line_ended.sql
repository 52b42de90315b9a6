-- When a line was given back: with it the story of every seat can be told for as long
-- as its lines are kept, which is for ever.

-- +goose Up
-- No rewrite of the table: ACCESS EXCLUSIVE for a moment.
-- NULL: held, sold, or ended by its time alone, which held_until tells.
ALTER TABLE hold_line ADD COLUMN ended_at timestamptz;

-- +goose Down
ALTER TABLE hold_line DROP COLUMN ended_at;
