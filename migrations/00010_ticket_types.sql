-- Several ticket types (adult, child, ...) that share one capacity: what is counted
-- is the counter, what differs is the price level of the line.

-- +goose Up
-- Each ALTER changes the catalogue without rewriting the table: ACCESS EXCLUSIVE for a moment.
-- types: further price classes by which places of this counter are sold, beside its
-- own class.
ALTER TABLE counter ADD COLUMN types text[] NOT NULL DEFAULT '{}';
-- class (of 00005): the type a place was taken as. NULL: the counter's own class, or a seat.
ALTER TABLE hold_line ADD CONSTRAINT type_of_a_counter CHECK (class IS NULL OR counter_id IS NOT NULL);

-- +goose Down
ALTER TABLE hold_line DROP CONSTRAINT type_of_a_counter;
ALTER TABLE counter DROP COLUMN types;
