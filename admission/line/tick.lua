-- Once a second, by any edge. 6 fence ('' until leading), 7 proposed x, 8 share ahead, 9 waiting, and how many of them of gaps, 10 the registry that is on
-- the edge's disk, 11 '1': the edge goes for good, 12 what the edge saw ('': nothing), and the leader's word: 13 the gap ('': none,
-- 'off': the settings' rate holds), 14 the gap to fall back to, 15 stock, 16 what a successor needs, 17 a report ('': as they were). Status OK: the second began; EARLY: another edge's tick began it.
local stop = enter('merge')
if stop then return stop end

local me, gone = member(edge), ARGV[11] == '1'
if me then
  local away = me.contact >= 0 and h.rt - me.contact >= SILENT
  me.contact, me.acked = gone and -1 or h.rt, math.max(me.acked, tonumber(ARGV[10]))
  keep_member(edge, me)
  if away and h.merging == 0 then cut_off(edge) end -- and back at once, below
end
if h.merging > 0 then
  try_merge()
  if h.merging > 0 then return finish('MERGING', roster()) end
  me = member(edge)
end

-- The registry. Nobody strikes the last one, whose log is the only one there is.
if not me and not gone then register(edge, h.gen, '-') end
if string.find(' ' .. h.cut, ' ' .. edge .. ':', 1, true) then
  -- Back in reach: every lease gets time for its visitor to come by.
  local all = call('ZRANGE', inside, 0, -1, 'WITHSCORES')
  for i = 1, #all, 2 do
    local s = session(all[i])
    local least = math.min(s and s.hard or h.rt, h.rt + 300000000)
    if tonumber(all[i + 1]) < least and call('HEXISTS', fresh, all[i]) == 0 then call('ZADD', inside, int(least), all[i]) end
  end
end
if h.cut ~= '' then back(edge) end
each_member(function(name)
  local e = member(name)
  if name ~= edge and (not e or e.contact < 0) then
    strike(name)
  elseif name ~= edge and h.rt - e.contact >= SILENT then
    strike(name)
    cut_off(name)
  end
end)
if gone and me and h.members ~= edge then strike(edge) end
activate()

if h.leader == edge or h.leader == '' or h.leader_until <= h.rt then
  if h.leader ~= edge then set('fence', h.fence + 1) end
  set('leader', edge)
  set('leader_until', h.rt + 3000000)
end
if h.leader == edge and ARGV[6] == int(h.fence) then
  -- Kept, not applied: another edge's tick may begin the second, and must move X as far as the leader would have.
  set('proposed', tonumber(ARGV[7]))
  set('share', tonumber(ARGV[8]))
  local waiting, found = string.match(ARGV[9], '^(%d+) ?(%d*)$')
  set('waiting', tonumber(waiting))
  set('found', tonumber(found) or 0)
end
pace(h.leader == edge and ARGV[6] == int(h.fence))
end_leases()
drop_absent()
grant()
if h.hot > 0 and h.rt - h.hot >= DOOR_STAY and call('ZCARD', door) == 0 then
  set('hot', 0)
  if h.net == 1 then emit_room('quiet') end
end
if h.tick_at > 0 and h.rt - h.tick_at < 900000 then return finish('EARLY', roster()) end
set('tick_at', h.rt)
set('ticks', h.ticks + 1)
set('at', now)
set('x0', h.x)
if state() == 'open' and h.proposed > h.x then
  set('x', h.proposed)
  emit('x', nil, nil, nil, int(h.x))
end
return finish('OK', roster())
