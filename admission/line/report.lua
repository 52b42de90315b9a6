-- What an edge's log knows, given to a room that has lost something, or that has lost nothing yet (a new process, an edge
-- that comes for the first time). Merged by maximum, so it may come twice, late, and in any order.
-- 6 a fresh gen in case this call finds the loss, 7 'more' | 'last' part, 8 '1' if the log knows the room, 9 '1' if this edge
-- is alone by nature (embedded store), 10 the gen it found ('-': none), 11 the process that asks. Then (name, value)* '', (s|u, term, bits)* '', (vid, index, place, entry, end, hard, 1 if not its own)* ''
-- of the log's term, (vid)* '' ended in it, (vid, "edge index")* '' that wait for another edge's word,
-- (account, vid, index)* ''.
local knows, alone = ARGV[8] == '1', ARGV[9] == '1'
local about, process = ARGV[10], ARGV[11]
local at = 12
local function take(n)
  local list = {}
  while ARGV[at] ~= '' do
    local item = {}
    for k = 1, n do item[k] = ARGV[at + k - 1] end
    list[#list + 1] = item
    at = at + n
  end
  at = at + 1
  return list
end
local given = {}
for _, f in ipairs(take(2)) do given[f[1]] = f[2] end
local bitmaps, leases, over, waits, accounts = take(3), take(7), take(1), take(2), take(3)
local function number(name) return tonumber(given[name] or '') or 0 end

-- A loss is found here or in no other place.
local born = not h.exists
if about ~= (born and '-' or h.gen) then return {'STALE', header(), {}, {}} end -- it was meant for another life of the room
if born then
  h.exists = true
  set('run', run_id())
  set('last', now)
  set('n', -1)
  set('tail', -1e12)
  set('rt', 1)
  start_merge(knows and TOTAL or BIRTH, ARGV[6])
elseif run_id() ~= h.run then
  set('run', run_id())
  advance_clock()
  start_merge(h.merging == 0 and TAIL or h.merging, ARGV[6])
else
  advance_clock()
end
if h.merging == 0 then freeze() end
-- Events go on where the host of this edge has kept them, whatever the store has forgotten.
if ack > h.seq then set('seq', ack) end

-- A room that is being made from nothing gives way to one that an edge remembers.
if knows and h.merging == BIRTH then
  clear_line()
  set('epoch', 0)
  set('sv', 0)
  set('phase', '')
  set('commit', '')
  start_merge(TOTAL, ARGV[6])
end

local epoch = number('epoch')
if h.epoch == 0 and not knows then -- the first edge of a new room says how it begins
  for _, name in ipairs({'epoch', 'opens_at'}) do set(name, number(name)) end
  for _, name in ipairs({'phase', 'commit', 'promised', 'entropy_source'}) do set(name, given[name]) end
  set('n', given.phase == 'open' and 0 or -1)
  set('term', 1)
elseif knows and epoch > h.epoch then
  -- The logs know of a reset that the store has lost, or the first log reports.
  if h.epoch > 0 then
    clear_line()
    set('sv', 0)
    set('phase', '')
    if h.merging == 0 then start_merge(TOTAL, ARGV[6]) else set('merging', TOTAL) end
  end
  set('epoch', epoch)
end

local mine = member(edge)
local late = h.merging == 0 and knows and (mine and mine.gen or ARGV[4]) ~= h.gen
if knows and epoch == h.epoch then
  local function end_term()
    local all = call('ZRANGE', inside, 0, -1)
    for i = 1, #all do call('HDEL', sess, all[i]) end
    call('DEL', inside, fresh, ended, by)
  end
  if number('term') > h.term then
    if h.term > 0 then end_term() end
    set('term', number('term'))
  end
  if late and h.ceil_end > 0 and number('ceil') > h.ceil_end and h.next > h.ceil_end then
    -- Indexes from ceil_end on may have been given before the loss, and were given again after it.
    set('doubled', h.doubled .. int(h.ceil_end) .. '-' .. int(math.min(number('ceil'), h.next)) .. ' ')
    set('reason', 'ceiling_conflict')
    emit_room('ceiling_conflict')
  end
  if late and number('ceil') > h.next and number('ceil') > h.ceil then
    set('gaps', h.gaps .. int(h.next) .. '-' .. int(number('ceil')) .. ' ')
    set('next', number('ceil'))
  end
  for _, name in ipairs({'ceil', 'x', 'known', 'queued'}) do
    if number(name) > h[name] then set(name, number(name)) end
  end
  if h.merging > 0 then
    local step = h.merging == TOTAL and 2000000 or 0 -- the log is of the last tick; the room went on a little
    for name, value in pairs({rt = number('rt') + step, tail = number('tail'), seq = number('seq') + 1000000}) do
      if name == 'rt' and value > h.loss_rt then set('loss_rt', value) end
      if value > h[name] then
        if name == 'rt' and h.merging == TOTAL then -- the window is measured in the room's own time
          set('merge_at', h.merge_at + value - h.rt)
          set('merge_until', h.merge_until + value - h.rt)
        end
        set(name, value)
      end
    end
    if number('ceil') > 0 then set('checkpoints', h.checkpoints + 1) end
  end

  -- The draw: what two logs say must be the same.
  local function agree(name, a, b, none)
    if a ~= none and b ~= none and a ~= b and h.reason ~= 'draw_conflict' then
      set('reason', 'draw_conflict')
      emit_room('draw_conflict')
    end
    if a == none and b ~= none then set(name, b) end
  end
  local function rank(phase, seed) return seed ~= '' and 2 or phase == 'drawing' and 1 or 0 end
  local mine, theirs = rank(h.phase, h.seed), rank(given.phase, given.seed)
  local newer = number('sv') > h.sv or h.phase == ''
  if not given.phase then theirs, newer = -1, false end -- a later part of a report
  if theirs > mine or theirs == mine and newer then
    if theirs == 0 then set('n', number('n')) end
    if h.phase ~= 'open' or newer then set('phase', given.phase) end
  end
  if mine > 0 or theirs > 0 then agree('n', h.n, number('n'), -1) end
  for _, name in ipairs({'root', 'entropy', 'seed', 'secret'}) do agree(name, h[name], given[name] or '', '') end
  if newer then
    for _, name in ipairs({'opens_at', 'cap', 'gap', 'idle', 'hard', 'paused', 'closed', 'sv', 'net', 'fail_open'}) do set(name, number(name)) end
    for _, name in ipairs({'rate', 'commit', 'promised', 'entropy_source', 'message', 'order'}) do set(name, given[name] or '') end
    for name, value in pairs(given) do
      if string.sub(name, 1, 5) == 'file:' then call('HSET', room, name, value) end
    end
  end
  for range in string.gmatch(given.gaps or '', '%S+') do
    if not string.find(' ' .. h.gaps, ' ' .. range .. ' ', 1, true) then set('gaps', h.gaps .. range .. ' ') end
  end
  -- Which edges are out there is the sum of what all logs say; whoever reports is not (merge.lua).
  local out_there = {}
  for name, at in string.gmatch(given.cut or '', '(%S+):(%d+)') do out_there[#out_there + 1] = {name, tonumber(at), true} end
  if h.merging > 0 then
    for _, c in ipairs(out_there) do
      local known = false
      each_cut(function(name, at) known = known or name == c[1] and at >= c[2] end)
      if not known then set('cut', h.cut .. c[1] .. ':' .. int(c[2]) .. '? ') end
    end
  end
  if number('reg') > h.reg and h.merging > 0 then
    set('reg', number('reg'))
    set('members', given.members or '')
  end

  -- A place is spent if its highest spent term is at least its highest freed term: each term in turn frees, then spends.
  for _, b in ipairs(bitmaps) do
    local key = b[1] == 's' and spent_in(tonumber(b[2])) or freed_in(tonumber(b[2]))
    call('SET', merge, b[3])
    call('BITOP', 'OR', key, key, merge)
  end
  if #bitmaps > 0 then
    call('DEL', spent)
    for t = 0, h.term do
      call('BITOP', 'AND', merge, spent, freed_in(t))
      call('BITOP', 'XOR', spent, spent, merge)
      call('BITOP', 'OR', spent, spent, spent_in(t))
    end
    call('DEL', merge)
  end

  for _, o in ipairs((h.merging > 0 or late) and accounts or {}) do own(o[1], o[2], tonumber(o[3])) end

  if number('term') == h.term then
    for _, e in ipairs(over) do
      call('ZADD', ended, int(h.seq), e[1])
      if call('ZREM', inside, e[1]) == 1 then emit('leave', e[1]) end
      call('HDEL', fresh, e[1])
      call('HDEL', sess, e[1])
      call('HDEL', by, e[1])
    end
    -- In a life of the room that has lost nothing the store knows better which leases run.
    local step = h.merging == TOTAL and 2000000 or 0
    for _, l in ipairs((h.merging > 0 or late) and leases or {}) do
      local vid, lease, hard = l[1], tonumber(l[5]) + step, tonumber(l[6]) + step
      -- A log has only the end that its edge was told of; the store has held the slot longer for an edge that is out there.
      local held = h.merging > 0 and hard > h.rt and held_for(out_there, vid, {entry = tonumber(l[4])})
      if (lease > h.rt or held) and not call('ZSCORE', ended, vid) then
        local known = call('ZSCORE', inside, vid)
        if not known or tonumber(known) < lease then call('ZADD', inside, int(lease), vid) end
        call('HDEL', fresh, vid)
        call('ZREM', door, vid)
        call('ZREM', seen, vid)
        -- An edge that only renewed the session may not know its entry.
        local entry = string.match(call('HGET', sess, vid) or '', '^%d+ %d+ (%d+)')
        if not entry or tonumber(entry) < tonumber(l[4]) then entry = l[4] end
        call('HSET', sess, vid, l[2] .. ' ' .. l[3] .. ' ' .. entry .. ' ' .. int(hard))
        if l[7] == '0' then logged_by(vid) end
      end
    end
    for _, w in ipairs(waits) do
      local who, index = string.match(w[2], '^(%S+) (%d+)$')
      local e = member(who)
      if not (e and e.gen == h.gen) and call('GETBIT', spent, index) == 0 then call('HSETNX', unc, w[1], w[2]) end
    end
  end
end

if ARGV[7] == 'last' then
  -- Its log has said what became of every pick-up it was asked for: logged is spent, not logged is free. A call that comes
  -- a second time says nothing about the pick-ups since.
  local e = member(edge)
  local open = (not e or e.gen ~= h.gen or e.process ~= process) and call('HGETALL', unc) or {}
  for i = 1, #open, 2 do
    if string.match(open[i + 1], '^%S+') == edge then call('HDEL', unc, open[i]) end
  end
  if h.merging > 0 then
    e = e or {joined = 0, acked = 0, active = false}
    e.contact, e.gen, e.process = h.rt, h.gen, process
    keep_member(edge, e)
    if alone then
      set('merge_until', h.rt)
      lonely = true
      exact = knows and born and given.clean == '1'
    end
    try_merge()
  elseif e then
    e.contact, e.gen, e.process = h.rt, h.gen, process
    keep_member(edge, e)
    activate()
  else
    register(edge, h.gen, process)
    activate()
  end
end
return finish('OK')
