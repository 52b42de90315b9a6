-- Ends sessions and gives up places, by their owners' or the origin's word. 6.. (vid, index)*.
-- Results: the index that is spent.
local stop = enter('log')
if stop then return stop end
local results = {}
for i = 6, #ARGV, 2 do
  local vid, index = ARGV[i], ARGV[i + 1]
  local s = session(vid)
  if s then index = int(s.index) end
  results[#results + 1] = {text(index)}
  local was = call('ZREM', inside, vid)
  set('left', h.left + was)
  was = was + call('ZREM', door, vid)
  call('ZREM', seen, vid)
  call('HDEL', fresh, vid)
  call('HDEL', sess, vid)
  call('HDEL', unc, vid)
  local used = call('GETBIT', spent, index) == 1
  spend(index, h.term)
  if not used or was > 0 then
    emit('leave', vid, index, s and int(s.place))
    call('ZADD', ended, int(h.seq), vid)
  end
end
-- Rarely and far: trimming by rank sorts the whole set on miniredis.
if call('ZCARD', ended) > 110000 then call('ZREMRANGEBYRANK', ended, 0, 9999) end
return finish('OK', results)
