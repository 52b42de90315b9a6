-- The safety net: lets newcomers through at once while nobody stands at the door and both limits have room. 6.. vid*.
-- Each gets the next index and a provisional grant of 10 s, which counts in rate and cap like any other; it becomes a session
-- when its visitor comes back with the ticket and picks it up. Whoever keeps no cookies fills nothing for longer.
-- Per visitor: granted | queue | retry (the ceiling is reached), entry, index.
local stop = enter('fenced')
if stop then return stop end
if h.closed == 1 then return finish('CLOSED') end
end_leases()
drop_absent()
grant()

local PROVISIONAL = 10000000
-- Half of what may be given ahead, and half of the slots, are kept for those who have come back with a ticket: a flood
-- of clients that never do cannot bring a person to wait at the door, which would put the line in force for everybody.
local live, unclaimed = call('ZCARD', inside), call('HLEN', fresh)
local function room_for_one()
  if gap() <= 0 or live >= h.cap or unclaimed >= math.max(1, math.floor(h.cap / 2)) then return nil end
  local slot = math.max(h.tail + gap(), h.rt)
  return slot <= h.rt + AHEAD / 2 and slot or nil
end

local results, through = {}, passthrough()
for i = 6, #ARGV do
  local vid = ARGV[i]
  local r = {'queue', '0', '-1'}
  local s = call('ZSCORE', inside, vid) and session(vid)
  local slot = not s and through and room_for_one()
  if s then
    r = {'granted', int(s.entry), int(s.index)}
  elseif slot and h.next >= h.ceil then
    r[1] = 'retry'
  elseif slot then
    local index = h.next
    set('next', index + 1)
    if h.x <= index then
      set('x', index + 1) -- the place is called as it is given
      emit('x', nil, nil, nil, int(h.x))
    end
    set('tail', slot)
    set('grants', h.grants + 1)
    live, unclaimed = live + 1, unclaimed + 1
    call('ZADD', inside, int(slot + PROVISIONAL), vid)
    call('HSET', fresh, vid, int(slot))
    keep(vid, {index = index, place = index, entry = slot, hard = 0})
    emit('grant', vid, int(index), int(index), int(slot), int(live), int(h.cap), int(gap()))
    r = {'granted', int(slot), int(index)}
  end
  results[#results + 1] = r
end
return finish('OK', results)
