-- Which edges a merge has to hear. The list and its number `reg` are in every edge's log; whoever logged the newest list
-- names those whose logs may hold what no other does.

local function each_member(f)
  for name in string.gmatch(h.members, '%S+') do f(name) end
end
local function is_member(name)
  return string.find(' ' .. h.members .. ' ', ' ' .. name .. ' ', 1, true) ~= nil
end
local SILENT = 15000000 -- an edge that has not ticked for 15 s is silent
-- What a tick tells of each registered edge: its name, its last tick, whether it may log, whether it has the newest list on disk.
local function roster()
  local list = {}
  each_member(function(name)
    local e = member(name)
    if e then list[#list + 1] = {name, int(e.contact), e.active and '1' or '0', e.acked >= h.reg and '1' or '0'} end
  end)
  return list
end
local function next_list() set('reg', h.reg + 1) end

-- A new edge counts as soon as all the others have its name on disk; until then it may not log what only it would know.
local function register(name, gen, process)
  next_list()
  set('members', h.members == '' and name or h.members .. ' ' .. name)
  keep_member(name, {contact = h.rt, joined = h.reg, acked = 0, active = false, gen = gen, process = process})
end

-- Takes an edge off the list. Nobody may log what counts before it has the list, the spent places and the leases of
-- this moment on disk (`need`): from then on the others' logs say all that the edge's did.
local function strike(name)
  local left = {}
  each_member(function(m) if m ~= name then left[#left + 1] = m end end)
  next_list()
  set('members', table.concat(left, ' '))
  set('need', h.reg)
  call('HDEL', edges, name)
end

local function activate()
  local all, settled = {}, true
  each_member(function(name) all[name] = member(name) end)
  for name, e in pairs(all) do
    if e.acked < h.reg then settled = false end
    if not e.active then
      local known = true
      for other, o in pairs(all) do
        if other ~= name and o.acked < e.joined then known = false end
      end
      if known then
        e.active = true
        keep_member(name, e)
      end
    end
  end
  set('settled', settled and 1 or 0)
end

-- "name:rt" of edges that fell silent and have not come back: such an edge may go on renewing passes by itself (session.lua).
-- "name:rt?" of one that this life of the room has not heard: what `by` says of whose a session is does not speak of it.
local LATER = 10000000 -- hard ends move a little with each loss
local function cut_off(name, unheard) set('cut', h.cut .. name .. ':' .. int(h.rt) .. (unheard and '? ' or ' ')) end
local function each_cut(f)
  for name, at, unheard in string.gmatch(h.cut, '(%S+):(%d+)(%??)') do f(name, tonumber(at), unheard == '?') end
end
local function back(name)
  local left = {}
  each_cut(function(who, at, unheard)
    if who ~= name and at + h.hard + LATER > h.rt then left[#left + 1] = who .. ':' .. int(at) .. (unheard and '? ' or ' ') end
  end)
  set('cut', table.concat(left))
end
