-- Changes settings. 5 'file' or 'run', then (field, value)*. A field of the file counts only when the file's value is
-- another than the last one this room saw in a file (kept as file:<field>).
-- Fields: state | action, gap, rate (its text), message, cap, idle, hard, net, fail_open, order, opens_at, commit, promised, entropy_source.
-- Results: the fields that were refused because people have joined under the published commitment.
local stop = enter('free')
if stop then return stop end
if h.merging > 0 then return finish('MERGING') end
local refused, before, was = {}, public_state(), gap()
local untouched = h.next == 0 and h.x == 0 and (h.phase == 'open' and h.n == 0 or h.phase == 'prequeue')
local committed = not untouched
local want = {}
for i = 7, #ARGV, 2 do
  local field, value = ARGV[i], ARGV[i + 1]
  if ARGV[6] ~= 'file' then
    want[field] = value
  elseif call('HGET', room, 'file:' .. field) ~= value then
    call('HSET', room, 'file:' .. field, value)
    want[field] = value
  end
end

for _, field in ipairs({'gap', 'cap', 'idle', 'hard', 'net', 'fail_open'}) do
  if want[field] then set(field, tonumber(want[field])) end
end
if want.rate then set('rate', want.rate) end
if want.message then set('message', want.message) end
if want.order then set('order', want.order) end -- an operator's word to whoever paces the room

-- What was promised can be changed until the first person has joined under it. The commitment follows the promise.
local promise = (want.opens_at and want.opens_at ~= int(h.opens_at)) or (want.entropy_source and want.entropy_source ~= h.entropy_source)
if promise then
  if committed then
    if h.phase == 'prequeue' then refused[#refused + 1] = {want.opens_at and 'opens_at' or 'entropy_source'} end
  else
    if want.opens_at then set('opens_at', tonumber(want.opens_at)) end
    if want.entropy_source then set('entropy_source', want.entropy_source) end
  end
end
if not committed and want.commit then
  set('commit', want.commit)
  set('promised', want.promised)
end

local action = want.action
if want.state then action = ({open = 'open', prequeue = 'prequeue', paused = 'pause', closed = 'close', sold_out = 'sold_out'})[want.state] end
if action == 'open' then
  set('paused', 0)
  set('closed', 0)
  if h.phase == 'prequeue' then set('opens_at', math.floor(now / 1000)) end -- by hand: the moment is this script's
elseif action == 'pause' then
  set('paused', 1)
elseif action == 'sold_out' then
  set('paused', 2) -- a pause with another word to those who wait
elseif action == 'resume' then
  set('paused', 0)
elseif action == 'close' then
  set('closed', 1)
elseif action == 'prequeue' then
  if h.phase == 'prequeue' then
    set('paused', 0)
    set('closed', 0)
  elseif untouched then
    set('paused', 0)
    set('closed', 0)
    set('phase', 'prequeue')
    set('n', -1)
  else
    refused[#refused + 1] = {'state'}
  end
end
for _, name in ipairs({'gap', 'cap', 'idle', 'hard', 'net', 'fail_open', 'rate', 'message', 'order', 'opens_at', 'entropy_source', 'commit', 'promised', 'phase', 'paused', 'closed'}) do
  if dirty[name] then
    set('sv', h.sv + 1) -- of two logs the newer settings count
    break
  end
end
freeze()
if gap() ~= was then emit('rate', nil, nil, nil, int(gap())) end
if public_state() ~= before or want.cap then emit_room('') end
return finish('OK', refused)
