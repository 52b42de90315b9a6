-- Is it the visitor's turn? 6.. (vid, index, place, grant or '')*.
-- Per visitor: state, rank, entry, lease end, hard end, index, place, logged, picked. Times are room time.
local stop = enter('fenced')
if stop then return stop end
end_leases()
local may = may_log()

-- Places are called as people come while the safety net is open: nobody waits whom it could pass over.
if passthrough() then
  local x = h.x
  for i = 6, #ARGV, 4 do
    local place = tonumber(ARGV[i + 2])
    if place >= x and place < h.next then x = place + 1 end
  end
  if x > h.x then
    set('x', x)
    emit('x', nil, nil, nil, int(x))
  end
end

local results, waiting = {}, {}
for i = 6, #ARGV, 4 do
  local vid, index, place, wanted = ARGV[i], tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2]), ARGV[i + 3]
  local r = {'', '0', '0', '0', '0', int(index), int(place), '0', '0'}
  local lease = call('ZSCORE', inside, vid)
  if lease then
    local slot = call('HGET', fresh, vid)
    local s = session(vid) or {index = index, place = place, entry = h.rt, hard = h.rt + h.hard}
    lease = tonumber(lease)
    if slot and wanted == slot and not may then
      r[1], r[3] = 'retry', slot
    elseif slot and wanted == slot then
      -- The pick-up. The place counts as spent once the edge has logged it; until it says so, `unc` remembers who asked.
      call('HDEL', fresh, vid)
      s.hard = s.entry + h.hard
      lease = math.min(math.max(s.entry, h.rt) + h.idle, s.hard)
      call('ZADD', inside, int(lease), vid)
      call('HSET', unc, vid, edge .. ' ' .. int(s.index))
      keep(vid, s)
      emit('pickup', vid, int(s.index), int(s.place), slot)
      set('pickups', h.pickups + 1)
      r[9] = '1'
      slot = false
    end
    if r[1] == '' then r[1] = slot and 'granted' or 'in' end
    if r[1] == 'in' and not may and call('GETBIT', spent, int(s.index)) == 0 then r[1] = 'retry' end
    r[3], r[4], r[5], r[6], r[7] = int(s.entry), int(lease), int(s.hard), int(s.index), int(s.place)
    r[8] = int(call('GETBIT', spent, int(s.index)))
    if r[1] == 'in' and r[8] == '0' then logged_by(vid) end -- this edge logs it before its answer
  elseif call('HEXISTS', unc, vid) == 1 then
    r[1] = 'retry' -- was inside, and its edge has not yet said whether the place is spent
  elseif call('GETBIT', spent, int(index)) == 1 then
    r[1] = 'used'
  elseif h.closed == 1 then
    r[1] = 'closed'
  elseif state() == 'paused' or state() == 'sold_out' then
    r[1] = state()
  elseif h.phase ~= 'open' or place < 0 or place >= h.x then
    r[1] = 'waiting'
  else
    if not call('ZSCORE', door, vid) then
      call('ZADD', door, int(place), vid)
      call('SETBIT', came, int(place), 1)
      keep(vid, {index = index, place = place, entry = 0, hard = 0})
      emit('door', vid, int(index), int(place))
    end
    call('ZADD', seen, int(h.rt), vid)
    r[1] = 'door'
    waiting[#waiting + 1] = {vid, r}
  end
  results[#results + 1] = r
end

drop_absent()
grant()

if #waiting > 0 then
  -- One read for all ranks: a rank asked one by one sorts the whole set each time on miniredis.
  local head, rank = call('ZRANGE', door, 0, 999), {}
  for i = 1, #head do rank[head[i]] = i - 1 end
  for i = 1, #waiting do
    local vid, r = waiting[i][1], waiting[i][2]
    local slot = call('HGET', fresh, vid)
    if slot then
      r[1], r[3], r[4] = 'granted', slot, int(tonumber(slot) + UNCLAIMED)
    else
      r[2] = int(rank[vid] or 1000)
      if h.net == 1 and h.phase == 'open' then
        local began = h.hot == 0
        set('hot', h.rt)
        set('queued', 1)
        if began then emit_room('queue') end
      end
    end
  end
end
return finish('OK', results)
