\set buyer random(1, 500000)
\set key random(1, 2000000000)
\set bucket random(0, 11)
BEGIN;
INSERT INTO keys VALUES (:buyer, '/v1/holds', :key::text, '\x00', '{}') ON CONFLICT DO NOTHING;
INSERT INTO account VALUES (3, :buyer, 2) ON CONFLICT (event, account) DO UPDATE SET used = account.used + 2;
UPDATE area SET held = held + 2 WHERE event = 3 AND bucket = :bucket AND held + 2 <= capacity;
INSERT INTO hold (event, account, quantity, expires_at) VALUES (3, :buyer, 2, now() + interval '8 min');
INSERT INTO outbox (event, kind, payload) VALUES (3, 'places_held', '{"s": 1}');
COMMIT;
