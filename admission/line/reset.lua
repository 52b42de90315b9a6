-- A new line. 6 epoch as the caller saw it, 7 the new one, 8 phase, 9 opens_at, 10 commit, 11 promised, 12 entropy source.
-- No index is given before an edge has logged the new epoch with a ceiling: the script leaves it at nought.
local stop = enter('log')
if stop then return stop end
if int(h.epoch) == ARGV[7] then return finish('OK') end
if int(h.epoch) ~= ARGV[6] then return finish('OTHER') end
local all = call('ZRANGE', inside, 0, -1)
for i = 1, #all do emit('expire', all[i], nil, nil, 'reset') end
clear_line()
set('epoch', tonumber(ARGV[7]))
set('term', 1)
set('phase', ARGV[8])
set('n', ARGV[8] == 'open' and 0 or -1)
set('opens_at', tonumber(ARGV[9]))
set('commit', ARGV[10])
set('promised', ARGV[11])
set('entropy_source', ARGV[12])
set('sv', h.sv + 1)
set('closed', 0)
set('here_at', h.rt)
set('all_until', h.rt + 75000000)
next_list()
freeze()
emit_room('reset')
return finish('OK')
