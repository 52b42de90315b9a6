-- The door: who is dropped from it, whose time inside is over, who may enter. Shared by knock and tick, so that
-- the door moves even while nobody knocks.

local function end_leases()
  local due = call('ZRANGEBYSCORE', inside, '-inf', int(h.rt), 'LIMIT', 0, 1000)
  local cut = #due > 0 and cut_edges() or {}
  for i = 1, #due do
    local vid, s = due[i], session(due[i])
    if s and s.hard > h.rt and call('HEXISTS', fresh, vid) == 0 and held_for(cut, vid, s) then
      call('ZADD', inside, int(math.min(s.hard, h.rt + 60000000)), vid)
    else
      call('ZREM', inside, vid)
      local unclaimed = call('HDEL', fresh, vid) == 1
      call('HDEL', sess, vid)
      call('HDEL', by, vid)
      if unclaimed then set('lapsed', h.lapsed + 1) else set('left', h.left + 1) end
      emit('expire', vid, s and int(s.index), s and int(s.place), unclaimed and 'unclaimed' or 'idle')
    end
  end
end

local function drop(vid)
  local s = session(vid)
  call('ZREM', door, vid)
  call('ZREM', seen, vid)
  call('HDEL', sess, vid)
  emit('drop', vid, s and int(s.index), s and int(s.place))
end
local function drop_absent()
  local gone = call('ZRANGEBYSCORE', seen, '-inf', '(' .. int(h.rt - DOOR_STAY), 'LIMIT', 0, 200)
  for i = 1, #gone do drop(gone[i]) end
end

-- How many grants rate and cap allow now. The next entry time is one gap after the last one given: kept as the
-- last one (`tail`), so that a change of the rate holds at once in both directions and two entry times are never
-- less than the gap in force apart.
local function allowed(live)
  if gap() <= 0 or h.cap <= live or state() ~= 'open' then return 0 end
  local first = math.max(h.tail + gap(), h.rt)
  if first > h.rt + AHEAD then return 0 end
  return math.min(h.cap - live, 1 + math.floor((h.rt + AHEAD - first) / gap()))
end

local function grant()
  local live = call('ZCARD', inside)
  while true do
    local k = allowed(live)
    if k < 1 then return end
    local head = call('ZPOPMIN', door, math.min(k, 500))
    if #head == 0 then return end
    for i = 1, #head, 2 do
      local vid = head[i]
      local knocked = call('ZSCORE', seen, vid)
      if not knocked or tonumber(knocked) < h.rt - DOOR_STAY then
        drop(vid) -- more than 200 left at once: their turn to be dropped is here
      else
        local s = session(vid)
        local slot = math.max(h.tail + gap(), h.rt)
        set('tail', slot)
        set('grants', h.grants + 1)
        live = live + 1
        s.entry = slot
        call('ZREM', seen, vid)
        call('ZADD', inside, int(slot + UNCLAIMED), vid)
        call('HSET', fresh, vid, int(slot))
        keep(vid, s)
        emit('grant', vid, int(s.index), int(s.place), int(slot), int(live), int(h.cap), int(gap()))
      end
    end
  end
end
