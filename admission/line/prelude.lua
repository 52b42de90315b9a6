-- What stands in front of every script: the room's header, its clock, the freeze, and the events.
-- One text runs on Redis and on miniredis (gopher-lua): no cjson, no %d of large numbers, no INFO field but run_id.
--
-- KEYS are the same for every script, all under {room}. ARGV: 1 edge, 2 ack, 3 epoch, 4 gen, 5 a test's clock or '', then
-- the script's own. Which indexes were spent in term t is in <spent>:s<t>, which of them a recall to term t freed in <spent>:u<t>.
local room, line, door, seen, inside, fresh, unc, spent = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7], KEYS[8]
local here0, here1, ended, sess, ident, came, out, merge, edges = KEYS[9], KEYS[10], KEYS[11], KEYS[12], KEYS[13], KEYS[14], KEYS[15], KEYS[16], KEYS[17]
local by, gate, pacing = KEYS[18], KEYS[19], KEYS[20]
local edge, ack = ARGV[1], tonumber(ARGV[2])
local call = redis.call

local MAX_STEP = 2000000      -- room time advances by at most 2 s a call
local DOOR_STAY = 10000000    -- whoever has not knocked for 10 s leaves the door
local UNCLAIMED = 15000000    -- a grant not picked up is given back after 15 s
local AHEAD = 1000000         -- entry times are given at most 1 s ahead
local OUT_MAX = 20000         -- events kept for an edge that has not acknowledged them

-- Numbers are written with all their digits: tostring and .. cut a double at 14.
local function int(v) return string.format('%.0f', v) end
local function text(v)
  if type(v) ~= 'number' then return v end
  return v == math.floor(v) and int(v) or tostring(v)
end

local numbers = {'epoch', 'term', 'last', 'rt', 'seq', 'next', 'ceil', 'n', 'x', 'x0', 'proposed', 'at', 'tick_at', 'ticks', 'cap', 'gap',
  'tail', 'opens_at', 'paused', 'closed', 'idle', 'hard', 'fence', 'leader_until', 'here_at', 'all_until', 'share', 'waiting',
  'losses', 'grants', 'pickups', 'lapsed', 'left', 'sv', 'merging', 'merge_at', 'merge_until', 'checkpoints', 'loss_rt', 'known', 'ceil_end',
  'reg', 'need', 'settled', 'draw_reg', 'net', 'fail_open', 'hot', 'queued', 'paced', 'pgap', 'pfloor', 'paced_at', 'found'}
local texts = {'gen', 'run', 'phase', 'leader', 'rate', 'commit', 'entropy_source', 'entropy', 'promised', 'root', 'seed', 'secret', 'gaps',
  'members', 'missing', 'reason', 'cut', 'doubled', 'message', 'order', 'stock'}

local h, dirty = {}, {}
do
  local got = call('HMGET', room, unpack(numbers))
  for i = 1, #numbers do h[numbers[i]] = got[i] and tonumber(got[i]) or 0 end
  h.exists = got[1] and true or false
  got = call('HMGET', room, unpack(texts))
  for i = 1, #texts do h[texts[i]] = got[i] or '' end
end
local function set(name, value)
  if h[name] ~= value then h[name] = value; dirty[name] = true end
end

-- The server's own identity. A server that does not tell it (miniredis) lives and dies with its one edge.
local function run_id()
  local info = redis.pcall('INFO', 'server')
  if type(info) ~= 'string' then return 'embedded' end
  return string.match(info, 'run_id:(%x+)') or 'embedded'
end

local now -- the store's clock, unix microseconds
do
  local t = call('TIME')
  now = tonumber(t[1]) * 1000000 + tonumber(t[2])
  if ARGV[5] ~= '' then now = tonumber(ARGV[5]) end
end

local events = {}
-- One text per event: seq now rt epoch term kind vid index place a b c d, '-' for what does not apply.
local function emit(kind, vid, index, place, a, b, c, d)
  if ack < 0 then return end
  set('seq', h.seq + 1)
  events[#events + 1] = table.concat({int(h.seq), int(now), int(h.rt), int(h.epoch), int(h.term), kind,
    vid or '-', index or '-', place or '-', a or '-', b or '-', c or '-', d or '-'}, ' ')
end

-- The gap in force: the leader's, where a room is paced by what its origin bears, else that of the settings. They are two
-- fields, so that a room whose pacing ends has the rate that somebody set and not the last one that was computed.
local function gap() return h.paced == 1 and h.pgap or h.gap end
local function state()
  if h.closed == 1 then return 'closed' end
  if h.reason ~= '' then return 'paused' end
  if h.paused > 0 then return h.paused == 2 and 'sold_out' or 'paused' end
  if h.merging > 0 then return 'merging' end
  return h.phase
end
-- The safety net lets people through until somebody with a ticket has to wait at the door (hot: since when by the last such
-- knock), and again when nobody has for 10 s, which only a tick finds.
local function passthrough()
  return h.net == 1 and h.hot == 0 and h.phase == 'open' and state() == 'open' and call('ZCARD', door) == 0
end
local function public_state() return passthrough() and 'passthrough' or state() end
local function emit_room(why) emit('room', nil, nil, nil, public_state(), int(gap()), int(h.cap), int(h.opens_at) .. ':' .. (why or '')) end

-- The clock of the room. It is idempotent in the only sense a clock can be: it never goes back and never jumps.
local function advance_clock()
  local d = now - h.last
  if h.last == 0 or d < 0 then d = 0 end
  if d > MAX_STEP then d = MAX_STEP end
  set('rt', h.rt + d)
  set('last', now)
end

-- Whoever comes first after opens_at freezes the draw, before any index is given: index < n is the same as
-- "joined before opens_at by this server's clock", and no leader is needed for it.
local function freeze()
  if h.phase == 'prequeue' and h.opens_at > 0 and now >= h.opens_at * 1000 then
    set('n', h.next)
    set('phase', 'drawing')
    emit_room('frozen')
  end
end

-- What every reply says about the room. Pairs, so that a later version can add to them.
local function header()
  local r = {'now', int(now), 'exists', h.exists and '1' or '0', 'through', passthrough() and '1' or '0', 'live', int(call('ZCARD', inside)), 'door', int(call('ZCARD', door))}
  for i = 1, #numbers do r[#r + 1] = numbers[i]; r[#r + 1] = text(h[numbers[i]]) end
  for i = 1, #texts do r[#r + 1] = texts[i]; r[#r + 1] = h[texts[i]] end
  return r
end

-- Ends a script: writes what changed and keeps the events for the edge until it has acknowledged them, so that a
-- lost reply loses no event: the next call of this edge returns them again, in order.
local function finish(status, results)
  local changed = {}
  for name in pairs(dirty) do
    changed[#changed + 1] = name
    changed[#changed + 1] = text(h[name])
  end
  if #changed > 0 then call('HSET', room, unpack(changed)) end
  local all = {}
  if ack >= 0 then
    local kept = call('LRANGE', out, 0, -1)
    local known = 0
    for i = 1, #kept do
      if tonumber(string.match(kept[i], '^%d+')) <= ack then known = i else all[#all + 1] = kept[i] end
    end
    if known > 0 then call('LTRIM', out, known, -1) end
    for i = 1, #events do all[#all + 1] = events[i] end
    for i = 1, #events, 500 do call('RPUSH', out, unpack(events, i, math.min(i + 499, #events))) end
    if #events > 0 then
      call('LTRIM', out, -OUT_MAX, -1)
      call('EXPIRE', out, 3600)
    end
  end
  return {status, header(), results or {}, all}
end

-- An edge in the registry: room time of its last tick, the registry in which it came, the registry it has on disk, whether
-- it may do what only its own log knows (1), its process, and the life of the room it has reported to.
local function member(name)
  local e = call('HGET', edges, name)
  if not e then return nil end
  local contact, joined, acked, active, process, gen = string.match(e, '^(-?%d+) (%d+) (%d+) (%d) (%S+) (.*)$')
  return {process = process, contact = tonumber(contact), joined = tonumber(joined), acked = tonumber(acked), active = active == '1', gen = gen}
end
local function keep_member(name, e)
  call('HSET', edges, name, int(e.contact) .. ' ' .. int(e.joined) .. ' ' .. int(e.acked) .. ' ' .. (e.active and '1' or '0') .. ' ' .. e.process .. ' ' .. e.gen)
end
-- Only a registered edge whose registration is in the others' logs, and which has on disk what it must know (the last
-- recall, the word of an edge that was struck), may do what a merge would have to ask its log for.
local function may_log()
  local e = member(edge)
  return e and e.active and e.acked >= h.need
end

-- Which edges have a visitor's lease in their logs as their own, and so may renew it by themselves when they are cut off.
local function logged_by(vid)
  local names = call('HGET', by, vid) or ' '
  if not string.find(names, ' ' .. edge .. ' ', 1, true) then call('HSET', by, vid, names .. edge .. ' ') end
end

local function spent_in(term) return spent .. ':s' .. int(term) end
local function freed_in(term) return spent .. ':u' .. int(term) end
local function spend(index, term)
  call('SETBIT', spent_in(term), index, 1)
  for t = term + 1, h.term do
    if call('GETBIT', freed_in(t), index) == 1 then return end -- recalled since: the place is free again
  end
  call('SETBIT', spent, index, 1)
end

-- The place of an account is its newest: it may join again when one was used.
local function own(account, vid, index)
  call('ZADD', line, 'NX', int(index), vid)
  local known = call('HGET', ident, account)
  local at = known and call('ZSCORE', line, known)
  if not at or tonumber(at) < index then call('HSET', ident, account, vid) end
end

-- Begins a script. Modes: 'free' for any caller, 'merge' for callers of this life of the room even while it is being put
-- together again, 'fenced' not then, 'log' only for edges that may log. Returns a reply if the call must not go on: ABSENT
-- (the store is empty), LOST (another server process answers than the one that knew the room: a restart, a failover,
-- perhaps with its last second missing), FENCED (the caller speaks of another epoch or of a time before a loss, about
-- which it has yet to report), MERGING, PENDING.
local function enter(mode)
  if not h.exists then return {'ABSENT', header(), {}, {}} end
  if run_id() ~= h.run then return {'LOST', header(), {}, {}} end
  advance_clock()
  if h.merging == 0 then freeze() end -- a merge takes n from the logs
  if mode == 'free' then return nil end
  if ARGV[3] ~= int(h.epoch) or ARGV[4] ~= h.gen then return finish('FENCED') end
  if mode == 'merge' then return nil end
  if h.merging > 0 then return finish('MERGING') end
  if mode == 'log' and not may_log() then return finish('PENDING') end
  return nil
end
