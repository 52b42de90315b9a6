-- Sessions, and for which edges their slots are kept.

-- A session is "index place entry hard", kept from the door to the end of the lease: recall and the spent record
-- need the index under which the place was granted.
local function session(vid)
  local s = call('HGET', sess, vid)
  if not s then return nil end
  local index, place, entry, hard = string.match(s, '^(%d+) (%d+) (%d+) (%d+)$')
  return {index = tonumber(index), place = tonumber(place), entry = tonumber(entry), hard = tonumber(hard)}
end
local function keep(vid, s)
  call('HSET', sess, vid, int(s.index) .. ' ' .. int(s.place) .. ' ' .. int(s.entry) .. ' ' .. int(s.hard))
end

-- While an edge is out of the store's reach it may keep passes alive up to their hard ends: those of sessions that it gave or
-- renewed before. Their slots are not given away; those of all others are free as ever.
local function cut_edges()
  local list = {}
  each_cut(function(name, at, unheard) list[#list + 1] = {name, at, unheard} end)
  each_member(function(name)
    local e = member(name)
    if e and e.contact >= 0 and h.rt - e.contact >= SILENT then list[#list + 1] = {name, h.rt, false} end
  end)
  return list
end
-- Whoever came in after an edge was struck cannot be known to it: from then on it may log nothing. An entry time is at most
-- AHEAD after its pick-up. Whose a session is say the calls and reports of this life of the room (`by`): of a session that came
-- back by its pass nobody has said it, and an edge that was out of reach through a loss may own any that is older.
local function held_for(list, vid, s)
  local names = call('HGET', by, vid)
  for i = 1, #list do
    if s.entry <= list[i][2] + AHEAD and (list[i][3] or not names or string.find(names, ' ' .. list[i][1] .. ' ', 1, true)) then return true end
  end
  return false
end
