\set buyer random(1, 500000)
\set key random(1, 2000000000)
BEGIN;
INSERT INTO keys VALUES (:buyer, '/v1/holds', :key::text, '\x00', '{}') ON CONFLICT DO NOTHING;
INSERT INTO account VALUES (2, :buyer, 2) ON CONFLICT (event, account) DO UPDATE SET used = account.used + 2;
UPDATE area SET held = held + 2 WHERE event = 2 AND bucket = 0 AND held + 2 <= capacity;
INSERT INTO hold (event, account, quantity, expires_at) VALUES (2, :buyer, 2, now() + interval '8 min');
INSERT INTO outbox (event, kind, payload) VALUES (2, 'places_held', '{"s": 1}');
COMMIT;
