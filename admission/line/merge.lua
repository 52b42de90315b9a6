-- Putting a room together again: what ends it, and what stops it.
local TOTAL, TAIL, BIRTH = 1, 2, 3
local WINDOW = {10000000, 2000000, 2000000} -- how long reports and tickets are awaited at least
local PATIENCE = 60000000                   -- then an operator is asked
local lonely = false -- an embedded store: no edge can have been cut off from it
local exact = false -- an embedded store that ended in order: its edge's log knows how many indexes were given

local function start_merge(kind, gen)
  if h.merging == 0 or kind == TOTAL then
    set('merging', kind)
    set('merge_at', h.rt)
    set('merge_until', h.rt + WINDOW[kind])
    set('loss_rt', kind == TAIL and h.rt or 0)
  end
  if kind ~= BIRTH then set('losses', h.losses + 1) end
  set('gen', gen)
  set('missing', '')
  set('leader', '')
  set('leader_until', 0)
  set('tick_at', 0)
end

-- A new line: nothing of the old one counts. Who was inside is not any more; settings stay.
local function clear_line()
  for t = 0, h.term do call('DEL', spent_in(t), freed_in(t)) end
  call('DEL', line, door, seen, inside, fresh, unc, spent, here0, here1, ended, sess, ident, came, by)
  for _, name in ipairs({'next', 'ceil', 'x', 'x0', 'proposed', 'known', 'ceil_end', 'checkpoints', 'share', 'waiting', 'found', 'hot', 'queued'}) do set(name, 0) end
  for _, name in ipairs({'root', 'seed', 'secret', 'entropy', 'gaps', 'doubled', 'reason', 'missing', 'cut'}) do set(name, '') end
  set('n', -1)
  set('term', 0)
end

local function merged()
  -- Indexes below the ceiling may have been given in the part that is lost: none of them is given again.
  local from = math.max(h.next, h.known)
  if h.merging ~= BIRTH and not exact and h.ceil > from then
    set('gaps', h.gaps .. int(from) .. '-' .. int(h.ceil) .. ' ')
    from = h.ceil
  end
  set('next', from)
  set('ceil', math.max(h.ceil, from))
  set('ceil_end', h.ceil)
  if h.term == 0 then set('term', 1) end
  -- The phase is the draw's: once revealed it is open, once frozen it never takes another into the draw.
  if h.seed ~= '' then set('phase', 'open') end
  if h.phase == 'prequeue' and h.n >= 0 then set('phase', 'drawing') end
  if h.phase == '' then set('phase', 'open') end
  if h.phase == 'open' and h.n < 0 then set('n', 0) end
  local kind = h.merging
  -- An edge that was cut off before the loss and has not come back may still renew. So may one that an operator does without.
  local away = {}
  each_cut(function(name, at)
    local e = member(name)
    if not e or e.gen ~= h.gen then away[#away + 1] = name .. ':' .. int(at) .. '? ' end
  end)
  set('cut', table.concat(away))
  if kind ~= BIRTH then
    each_member(function(name)
      local e = member(name)
      if not e or e.gen ~= h.gen then cut_off(name, true) end
    end)
  end
  -- Leases that had ended before the loss are over, unless an edge out there may have renewed them. The others get time: their
  -- visitors' edges may have kept them alive while the store was away.
  local all, cut = kind == BIRTH and {} or call('ZRANGE', inside, 0, -1, 'WITHSCORES'), cut_edges()
  for i = 1, #all, 2 do
    local vid, lease = all[i], tonumber(all[i + 1])
    if call('HEXISTS', fresh, vid) == 0 then
      local s = session(vid)
      if lease <= h.loss_rt and not (s and s.hard > h.rt and held_for(cut, all[i], s)) then
        call('ZREM', inside, vid)
        call('HDEL', sess, vid)
        call('HDEL', by, vid)
        emit('expire', vid, nil, nil, 'idle')
      elseif not lonely and s and lease < math.min(s.hard, h.rt + 300000000) then
        call('ZADD', inside, int(math.min(s.hard, h.rt + 300000000)), vid)
      end
    end
  end
  set('merging', 0)
  set('missing', '')
  if h.reason == 'edge_missing' or h.reason == 'no_checkpoint' then set('reason', '') end
  set('x0', h.x)
  set('at', now)
  set('here_at', h.rt)
  set('all_until', h.rt + 75000000)
  -- Everybody who has reported is on the new list; who has not is not (it reports when it comes).
  local names = {}
  local all = call('HGETALL', edges)
  next_list()
  for i = 1, #all, 2 do
    local e = member(all[i])
    if e.gen == h.gen then
      names[#names + 1] = all[i]
      e.contact, e.joined, e.acked, e.active = h.rt, h.reg, 0, false
      keep_member(all[i], e)
    else
      call('HDEL', edges, all[i])
    end
  end
  table.sort(names)
  set('members', table.concat(names, ' '))
  activate()
  freeze()
  emit_room(kind == BIRTH and 'created' or 'rebuilt')
end

local function unheard()
  local list = {}
  each_member(function(name)
    local e = member(name)
    if not e or e.gen ~= h.gen then list[#list + 1] = name end
  end)
  return table.concat(list, ' ')
end

-- Ends the merge if it may end. Never a guess: without an edge of the newest list a dead epoch could be revived and a
-- used place come back, so an operator decides after a minute.
local function try_merge()
  if h.merging == 0 or h.rt < h.merge_until then return end
  if h.merging ~= BIRTH then
    local missing = unheard()
    set('missing', missing)
    local why = missing ~= '' and 'edge_missing' or h.merging == TOTAL and h.checkpoints == 0 and 'no_checkpoint' or ''
    if why ~= '' then
      if h.rt - h.merge_at >= PATIENCE and h.reason ~= why and h.reason ~= 'draw_conflict' then
        set('reason', why)
        emit_room(why)
      end
      return
    end
  end
  merged()
end
