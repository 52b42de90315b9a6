-- What the store knows and a struck edge's log knew, for the log of this edge: places spent and freed by term, leases, and
-- pick-ups of others that wait for a word. Results: (s|u, term, bits), (l, vid, index, place, entry, end, hard), (w, vid, who), (e, vid) of a
-- session that was ended.
local stop = enter('fenced')
if stop then return stop end
local out_list = {}
for t = 1, h.term do
  out_list[#out_list + 1] = {'s', int(t), call('GET', spent_in(t)) or ''}
  out_list[#out_list + 1] = {'u', int(t), call('GET', freed_in(t)) or ''}
end
local all = call('ZRANGE', inside, 0, -1, 'WITHSCORES')
for i = 1, #all, 2 do
  local s = call('HGET', sess, all[i])
  if s and call('HEXISTS', fresh, all[i]) == 0 then
    local index, place, entry, hard = string.match(s, '^(%d+) (%d+) (%d+) (%d+)$')
    out_list[#out_list + 1] = {'l', all[i], index, place, entry, int(tonumber(all[i + 1])), hard}
  end
end
all = call('HGETALL', unc)
for i = 1, #all, 2 do
  if string.match(all[i + 1], '^%S+') ~= edge then out_list[#out_list + 1] = {'w', all[i], all[i + 1]} end
end
-- A lease that this edge has in its log may have been ended by the struck one's word.
all = call('ZRANGE', ended, 0, -1)
for i = 1, #all do out_list[#out_list + 1] = {'e', all[i]} end
return finish('OK', out_list)
