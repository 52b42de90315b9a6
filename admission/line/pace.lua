-- A paced room: what its edges saw, and the leader's word about the rate. The word counts only with the fencing number, so
-- that a leader that was thought dead cannot write after its successor.
local UNPACED = 15000000 -- without a word for so long the rate falls back

local function pace(leads)
  local was = gap()
  -- Kept beside the room and not sent with each reply. An edge that is gone is found by its time.
  if (ARGV[12] or '') ~= '' then call('HSET', gate, edge, int(h.rt) .. ' ' .. ARGV[12]) end
  local word = ARGV[13] or ''
  if leads and word == 'off' then
    if ARGV[12] == '' then call('DEL', gate, pacing) end
    set('paced', 0)
    set('stock', '')
  elseif leads and word ~= '' then
    set('paced', 1)
    set('pgap', tonumber(word))
    set('pfloor', tonumber(ARGV[14]))
    set('paced_at', h.rt)
    set('stock', ARGV[15])
  elseif h.paced == 1 and h.rt - h.paced_at >= UNPACED and h.pgap > 0 and h.pgap < h.pfloor then
    set('pgap', h.pfloor) -- nobody decides: slower, never faster
  end
  if leads and (ARGV[16] or '') ~= '' then call('HSET', pacing, 'state', int(h.rt) .. ' ' .. ARGV[16]) end
  if leads and (ARGV[17] or '') ~= '' then call('HSET', pacing, 'report', ARGV[17]) end
  if gap() ~= was then emit('rate', nil, nil, nil, int(gap())) end
end
