-- Ends sessions and gives up places, by their owners' or the origin's word. 6.. (vid, index)*.
-- Results: the index that is spent; 1 if a session ended with it, now or before.
local stop = enter('log')
if stop then return stop end
local results = {}
for i = 6, #ARGV, 2 do
  local vid, index = ARGV[i], ARGV[i + 1]
  local s = session(vid)
  if s then index = int(s.index) end
  local was = call('ZREM', inside, vid)
  set('left', h.left + was)
  -- Only who was inside can have a pass: a crowd that joins and leaves must not push those out of the list.
  local over = was == 1 or call('ZSCORE', ended, vid)
  if was == 1 then call('ZADD', ended, int(h.seq + 1), vid) end
  results[#results + 1] = {text(index), over and '1' or '0'}
  was = was + call('ZREM', door, vid)
  call('ZREM', seen, vid)
  call('HDEL', fresh, vid)
  call('HDEL', sess, vid)
  call('HDEL', unc, vid)
  call('HDEL', by, vid)
  local used = call('GETBIT', spent, index) == 1
  spend(index, h.term)
  if not used or was > 0 then emit('leave', vid, index, s and int(s.place)) end
end
-- Rarely and far: trimming by rank sorts the whole set on miniredis.
if call('ZCARD', ended) > 110000 then call('ZREMRANGEBYRANK', ended, 0, 9999) end
return finish('OK', results)
