-- What was changed in the catalogue, when, by whom, from what to what: append only,
-- and written by triggers, so that a change by import, by API or by hand is there.

-- +goose Up
CREATE TABLE catalogue_change (
  id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  actor    text NOT NULL,                   -- ropeline.actor of the transaction; without it, the database role
  kind     text NOT NULL CHECK (kind IN ('venue', 'event', 'price_level', 'counter')),
  event_id bigint,                          -- NULL: a venue
  name     text NOT NULL,                   -- slug of the venue or event, class of the price, name of the counter
  before   jsonb,                           -- NULL: it was created; otherwise what differs
  after    jsonb NOT NULL
);
CREATE INDEX catalogue_change_by_event ON catalogue_change (event_id, id);

-- SECURITY DEFINER: the application's role may read the table and not write it.
-- +goose StatementBegin
CREATE FUNCTION catalogue_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  uninteresting text[] := ARRAY['geometry', 'held', 'sold', 'created_at'];
  a jsonb := to_jsonb(NEW) - uninteresting;
  b jsonb;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    b := to_jsonb(OLD) - uninteresting;
    SELECT jsonb_object_agg(key, value), jsonb_object_agg(key, a -> key) INTO b, a
      FROM jsonb_each(b) WHERE value IS DISTINCT FROM a -> key;
    IF b IS NULL THEN
      RETURN NULL;
    END IF;
  END IF;
  INSERT INTO catalogue_change (actor, kind, event_id, name, before, after)
  VALUES (coalesce(nullif(current_setting('ropeline.actor', true), ''), session_user), TG_TABLE_NAME,
          CASE TG_TABLE_NAME WHEN 'venue' THEN NULL WHEN 'event' THEN (to_jsonb(NEW) ->> 'id')::bigint ELSE (to_jsonb(NEW) ->> 'event_id')::bigint END,
          CASE TG_TABLE_NAME WHEN 'price_level' THEN to_jsonb(NEW) ->> 'class' WHEN 'counter' THEN to_jsonb(NEW) ->> 'name' ELSE to_jsonb(NEW) ->> 'slug' END,
          b, a);
  RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER catalogue_changed AFTER INSERT OR UPDATE ON venue       FOR EACH ROW EXECUTE FUNCTION catalogue_changed();
CREATE TRIGGER catalogue_changed AFTER INSERT OR UPDATE ON event       FOR EACH ROW EXECUTE FUNCTION catalogue_changed();
CREATE TRIGGER catalogue_changed AFTER INSERT OR UPDATE ON price_level FOR EACH ROW EXECUTE FUNCTION catalogue_changed();
-- OF: an UPDATE of the sums, which is what every hold does, does not come here.
CREATE TRIGGER catalogue_changed AFTER INSERT OR UPDATE OF kind, name, class, types, capacity, overbook ON counter
  FOR EACH ROW EXECUTE FUNCTION catalogue_changed();

GRANT SELECT ON catalogue_change TO ropeline_app;

-- +goose Down
DROP TRIGGER catalogue_changed ON counter;
DROP TRIGGER catalogue_changed ON price_level;
DROP TRIGGER catalogue_changed ON event;
DROP TRIGGER catalogue_changed ON venue;
DROP FUNCTION catalogue_changed;
DROP TABLE catalogue_change;
