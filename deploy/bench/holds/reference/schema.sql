-- The plain way to sell: one transaction a hold. The tables have what a hold cannot do without and no more, so that
-- the comparison flatters the reference and never the engine.
CREATE TABLE keys (account bigint, route text, key text, body_hash bytea, answer jsonb, PRIMARY KEY (account, route, key));
CREATE TABLE account (event int, account bigint, used int NOT NULL CHECK (used <= 1000000), PRIMARY KEY (event, account));
CREATE TABLE seat (event int, seat int, state smallint NOT NULL DEFAULT 0, hold bigint, version int NOT NULL DEFAULT 0, held_until timestamptz,
  PRIMARY KEY (event, seat)) WITH (fillfactor = 60);
CREATE TABLE area (event int, bucket int, capacity int NOT NULL, held int NOT NULL DEFAULT 0, PRIMARY KEY (event, bucket),
  CHECK (held <= capacity)) WITH (fillfactor = 50);
CREATE TABLE hold (event int, id bigint GENERATED ALWAYS AS IDENTITY, account bigint, seats int[], quantity int, expires_at timestamptz, PRIMARY KEY (event, id));
CREATE TABLE outbox (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, event int, kind text, payload jsonb, published_at timestamptz);
INSERT INTO seat (event, seat) SELECT 1, n FROM generate_series(1, 60000) n;
-- Event 2: one row. Event 3: the same quantity in twelve. Large enough never to be sold out.
INSERT INTO area VALUES (2, 0, 2000000000, 0);
INSERT INTO area SELECT 3, n, 160000000, 0 FROM generate_series(0, 11) n;
