-- Calls everybody inside out again: their passes are refused from now on, their old places are free for them, and nobody who
-- waits or has left is touched. 6 epoch, 7 term as the caller saw them: a retry raises the term once.
local stop = enter('log')
if stop then return stop end
if int(h.epoch) ~= ARGV[6] then return finish('OTHER') end
if int(h.term) ~= ARGV[7] then return finish(h.term == tonumber(ARGV[7]) + 1 and 'OK' or 'OTHER') end
set('term', h.term + 1)
local all = call('ZRANGE', inside, 0, -1)
for i = 1, #all do
  local vid, s = all[i], session(all[i])
  if s then
    call('SETBIT', freed_in(h.term), int(s.index), 1)
    call('SETBIT', spent, int(s.index), 0)
  end
  call('HDEL', sess, vid)
  call('HDEL', unc, vid) -- whatever its edge still says of it is of the old term
  emit('expire', vid, s and int(s.index), s and int(s.place), 'recalled')
end
call('DEL', inside, fresh, ended, by)
next_list()
set('need', h.reg) -- nobody picks up in the new term before the edge that logs it knows who was freed
emit_room('recalled')
return finish('OK')
