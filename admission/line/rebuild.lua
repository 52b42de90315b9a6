-- Gives a store that lost the room (or perhaps its last second) what the edge's log knows. 5 gen, then fields as
-- (name, value)* up to '', then the spent bitmap, then (vid, index, place, entry, lease, hard)*.
-- A second call after the room stands does nothing.
local had = h.exists
if had and run_id() == h.run then
  advance_clock()
  freeze()
  return finish('OK')
end
local i = 6
local given = {}
while ARGV[i] ~= '' do
  given[ARGV[i]] = ARGV[i + 1]
  i = i + 2
end
local higher = {epoch = true, term = true, ceil = true, x = true, rt = true, tail = true, seq = true, losses = true, n = true}
h.exists = true
for name, value in pairs(given) do
  if name == 'known' or name == 'clean' or name == 'raised' then
    -- used below
  elseif type(h[name]) ~= 'number' then
    if not had or h[name] == '' then set(name, value) end
  elseif higher[name] then
    if not had or tonumber(value) > h[name] then set(name, tonumber(value)) end
  elseif not had then
    set(name, tonumber(value))
  end
end
-- Indexes below the ceiling may have been given in the part that is lost: none of them is given again.
-- (After a clean end of an embedded store the log knows exactly how many were given.)
local from = math.max(tonumber(given.known), h.next)
if given.clean == '1' and not had then
  set('next', from)
else
  if h.ceil > from then set('gaps', h.gaps .. int(from) .. '-' .. int(h.ceil) .. ' ') end
  set('next', math.max(h.ceil, from))
end
set('ceil', math.max(h.ceil, tonumber(given.raised)))
-- The phase is the draw's: once revealed it is open, once frozen it never takes another into the draw.
if h.seed ~= '' then set('phase', 'open') end
if h.phase == 'prequeue' and h.n >= 0 then set('phase', 'drawing') end
set('run', run_id())
set('gen', ARGV[5])
set('losses', h.losses + 1)
set('last', now)
set('leader', '')
set('leader_until', 0)
set('tick_at', 0)
set('x0', h.x)
set('at', now)
set('here_at', h.rt)
set('all_until', h.rt + 75000000)
local bits = ARGV[i + 1]
if bits ~= '' then
  call('SET', merge, bits)
  call('BITOP', 'OR', spent, spent, merge)
  call('DEL', merge)
end
for j = i + 2, #ARGV, 6 do
  local vid = ARGV[j]
  if tonumber(ARGV[j + 4]) > h.rt then
    local known = call('ZSCORE', inside, vid)
    if not known or tonumber(known) < tonumber(ARGV[j + 4]) then call('ZADD', inside, ARGV[j + 4], vid) end
    call('HDEL', fresh, vid)
    call('ZREM', door, vid)
    call('ZREM', seen, vid)
    call('HSET', sess, vid, ARGV[j + 1] .. ' ' .. ARGV[j + 2] .. ' ' .. ARGV[j + 3] .. ' ' .. ARGV[j + 5])
  end
end
freeze()
emit_room('rebuilt')
return finish('OK')
