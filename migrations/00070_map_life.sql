-- How old the seat map of an event may be, by its own choice.

-- +goose Up
ALTER TABLE event ADD COLUMN map_life interval NOT NULL DEFAULT '1 second' CHECK (map_life BETWEEN interval '1 second' AND interval '5 seconds');

-- +goose Down
ALTER TABLE event DROP COLUMN map_life;
