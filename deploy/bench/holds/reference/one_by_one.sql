\set seat random(1, 59999)
\set buyer random(1, 500000)
\set key random(1, 2000000000)
BEGIN;
INSERT INTO keys VALUES (:buyer, '/v1/holds', :key::text, '\x00', '{}') ON CONFLICT DO NOTHING;
INSERT INTO account VALUES (1, :buyer, 2) ON CONFLICT (event, account) DO UPDATE SET used = account.used + 2;
SELECT seat, state, held_until FROM seat WHERE event = 1 AND seat IN (:seat, :seat + 1) ORDER BY seat FOR UPDATE;
INSERT INTO hold (event, account, seats, expires_at) VALUES (1, :buyer, ARRAY[:seat, :seat + 1], now() + interval '8 min');
UPDATE seat SET state = 1, hold = 1, version = version + 1, held_until = now() + interval '8 min' WHERE event = 1 AND seat IN (:seat, :seat + 1);
INSERT INTO outbox (event, kind, payload) VALUES (1, 'seats_held', '{"s": 1}');
COMMIT;
