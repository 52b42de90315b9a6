-- Renews leases. 6.. (vid, at least this long from now in room microseconds)*.
-- Per visitor: lease end, hard end, index, place, entry; lease end -1: not inside.
local stop = enter('log')
if stop then return stop end
local results = {}
for i = 6, #ARGV, 2 do
  local vid, least = ARGV[i], tonumber(ARGV[i + 1])
  local lease = call('ZSCORE', inside, vid)
  local s = lease and session(vid)
  if not s or tonumber(lease) <= h.rt or call('HEXISTS', fresh, vid) == 1 then
    results[#results + 1] = {'-1', '0', '0', '0', '0'}
  else
    lease = math.min(s.hard, math.max(tonumber(lease), h.rt + h.idle, h.rt + least))
    call('ZADD', inside, 'XX', int(lease), vid)
    logged_by(vid)
    results[#results + 1] = {int(lease), int(s.hard), int(s.index), int(s.place), int(s.entry)}
  end
end
return finish('OK', results)
