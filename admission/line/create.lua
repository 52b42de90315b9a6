-- Makes the room if it does not exist. A second edge, or a retry, finds it made and changes nothing.
-- 5 gen, 6 ceil (already in the caller's log), 7 commit, 8 promised opens_at, 9 entropy source, 10 phase, 11 opens_at, 12 epoch
if h.exists then
  if run_id() ~= h.run then return {'LOST', header(), {}, {}} end
  advance_clock()
  freeze()
  return finish('OK')
end
h.exists = true
set('run', run_id())
set('epoch', tonumber(ARGV[12]))
set('term', 1)
set('gen', ARGV[5])
set('ceil', tonumber(ARGV[6]))
set('commit', ARGV[7])
set('promised', ARGV[8])
set('entropy_source', ARGV[9])
set('phase', ARGV[10])
set('opens_at', tonumber(ARGV[11]))
set('n', ARGV[10] == 'open' and 0 or -1)
advance_clock()
set('rt', 1)
set('tail', -1e12)
set('at', now)
set('all_until', 75000001)
set('here_at', 1)
freeze()
emit_room('created')
return finish('OK')
