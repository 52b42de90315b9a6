-- Cancelling a whole event is a job: its orders are worked off one by one, by whichever
-- process runs, until nothing of the event is open.

-- +goose Up
CREATE TABLE event_cancellation (
  event_id    bigint PRIMARY KEY REFERENCES event,
  asked_by    text NOT NULL,
  why         text NOT NULL,
  asked_at    timestamptz NOT NULL,
  orders      int NOT NULL,                  -- that had to be ended, when it began
  amount      bigint NOT NULL,               -- that was to go back, when it began
  state       text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done')),
  finished_at timestamptz
);
GRANT SELECT, INSERT, UPDATE ON event_cancellation TO ropeline_app;

-- +goose Down
DROP TABLE event_cancellation;
