\set block random(0, 299)
\set key random(1, 2000000000)
BEGIN;
INSERT INTO keys SELECT n + :block * 100, '/v1/holds', (:key + n)::text, '\x00', '{}' FROM generate_series(1, 100) n ON CONFLICT DO NOTHING;
INSERT INTO account SELECT 1, :block * 100 + n, 2 FROM generate_series(1, 100) n ON CONFLICT (event, account) DO UPDATE SET used = account.used + 2;
SELECT seat, state, held_until FROM seat WHERE event = 1 AND seat BETWEEN :block * 200 + 1 AND :block * 200 + 200 ORDER BY seat FOR UPDATE;
INSERT INTO hold (event, account, seats, expires_at) SELECT 1, n, ARRAY[n, n + 1], now() + interval '8 min' FROM generate_series(1, 100) n;
UPDATE seat SET state = 1, hold = 1, version = version + 1, held_until = now() + interval '8 min' WHERE event = 1 AND seat BETWEEN :block * 200 + 1 AND :block * 200 + 200;
INSERT INTO outbox (event, kind, payload) SELECT 1, 'seats_held', '{"s": 1}' FROM generate_series(1, 100) n;
COMMIT;
