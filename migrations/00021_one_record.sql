-- A change of a limit is on one record, that of the catalogue, with the reason that
-- was given for it and what was held and sold in that moment. It was on two.

-- +goose Up
-- ACCESS EXCLUSIVE on counter and the record for a moment.
ALTER TABLE catalogue_change ADD COLUMN reason text; -- ropeline.reason of the transaction; NULL: none was given
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION catalogue_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
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
    IF TG_TABLE_NAME = 'counter' THEN
      a := a || jsonb_build_object('held', to_jsonb(NEW) -> 'held', 'sold', to_jsonb(NEW) -> 'sold');
    END IF;
  END IF;
  INSERT INTO catalogue_change (actor, reason, kind, event_id, name, before, after)
  VALUES (coalesce(nullif(current_setting('ropeline.actor', true), ''), session_user), nullif(current_setting('ropeline.reason', true), ''), TG_TABLE_NAME,
          CASE TG_TABLE_NAME WHEN 'venue' THEN NULL WHEN 'event' THEN (to_jsonb(NEW) ->> 'id')::bigint ELSE (to_jsonb(NEW) ->> 'event_id')::bigint END,
          CASE TG_TABLE_NAME WHEN 'price_level' THEN to_jsonb(NEW) ->> 'class' WHEN 'counter' THEN to_jsonb(NEW) ->> 'name' ELSE to_jsonb(NEW) ->> 'slug' END,
          b, a);
  RETURN NULL;
END $$;
-- +goose StatementEnd
DROP TRIGGER counter_limit_changed ON counter;
DROP FUNCTION counter_limit_changed;
DROP TABLE counter_limit;

-- +goose Down
-- Raises the last part of migration 5 again, without what was on that record.
CREATE TABLE counter_limit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, event_id bigint NOT NULL, counter_id bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(), actor text NOT NULL, capacity_before int NOT NULL, overbook_before int NOT NULL,
  capacity int NOT NULL, overbook int NOT NULL, held int NOT NULL, sold int NOT NULL, excess int NOT NULL
);
CREATE INDEX counter_limit_by_counter ON counter_limit (event_id, counter_id, id);
-- +goose StatementBegin
CREATE FUNCTION counter_limit_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO counter_limit (event_id, counter_id, actor, capacity_before, overbook_before, capacity, overbook, held, sold, excess)
  VALUES (NEW.event_id, NEW.id, coalesce(nullif(current_setting('ropeline.actor', true), ''), session_user),
          OLD.capacity, OLD.overbook, NEW.capacity, NEW.overbook, NEW.held, NEW.sold, NEW.excess);
  RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION catalogue_changed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
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
CREATE TRIGGER counter_limit_changed AFTER UPDATE OF capacity, overbook ON counter FOR EACH ROW
  WHEN (OLD.capacity <> NEW.capacity OR OLD.overbook <> NEW.overbook) EXECUTE FUNCTION counter_limit_changed();
GRANT SELECT ON counter_limit TO ropeline_app;
ALTER TABLE catalogue_change DROP COLUMN reason;
