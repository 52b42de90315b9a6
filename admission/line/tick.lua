-- Once a second, by any edge. 5 fence ('' until leading), 6 proposed x, 7 share ahead, 8 waiting.
-- Status OK: the second began; EARLY: another edge's tick began it.
local stop = enter(true)
if stop then return stop end
if h.leader == edge or h.leader == '' or h.leader_until <= h.rt then
  if h.leader ~= edge then set('fence', h.fence + 1) end
  set('leader', edge)
  set('leader_until', h.rt + 3000000)
end
if h.leader == edge and ARGV[5] == int(h.fence) then
  -- Kept, not applied: another edge's tick may begin the second, and must move X as far as the leader would have.
  set('proposed', tonumber(ARGV[6]))
  set('share', tonumber(ARGV[7]))
  set('waiting', tonumber(ARGV[8]))
end
end_leases()
drop_absent()
grant()
if h.tick_at > 0 and h.rt - h.tick_at < 900000 then return finish('EARLY') end
set('tick_at', h.rt)
set('ticks', h.ticks + 1)
set('at', now)
set('x0', h.x)
if h.phase == 'open' and h.paused == 0 and h.closed == 0 and h.proposed > h.x then
  set('x', h.proposed)
  emit('x', nil, nil, nil, int(h.x))
end
return finish('OK')
