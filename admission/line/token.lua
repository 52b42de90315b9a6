-- What authentic tokens say to a store that lost something. 6.. (epoch, vid, index or -1, x, n, term, lease left, hard left)*;
-- lease left 0: a ticket.
local stop = enter('merge')
if stop then return stop end
for i = 6, #ARGV, 8 do
  local epoch, vid, index = tonumber(ARGV[i]), ARGV[i + 1], tonumber(ARGV[i + 2])
  local x, n, term, left, hard = tonumber(ARGV[i + 3]), tonumber(ARGV[i + 4]), tonumber(ARGV[i + 5]), tonumber(ARGV[i + 6]), tonumber(ARGV[i + 7])
  if h.merging > 0 and h.checkpoints == 0 and (h.merging == BIRTH and epoch ~= h.epoch or h.merging == TOTAL and epoch > h.epoch) then
    -- There was a line, and no log knows it: better no room than a second line under the eyes of the first.
    clear_line()
    set('epoch', epoch)
    start_merge(TOTAL, h.gen)
  end
  if epoch == h.epoch then
    if index >= h.ceil then set('ceil', index + 1) end
    if h.merging == TOTAL and n >= 0 and h.n < 0 then set('n', n) end
    if left > 0 and (term == h.term or h.merging == TOTAL and h.term == 0) then
      if h.merging > 0 and x > h.x then set('x', x) end
      if index >= 0 and h.merging > 0 then spend(index, term) end
      local lease = tonumber(call('ZSCORE', inside, vid) or -1)
      if lease < h.rt + left and call('HEXISTS', fresh, vid) == 0 and not call('ZSCORE', ended, vid) then
        call('ZADD', inside, int(h.rt + left), vid)
        call('ZREM', door, vid)
        call('ZREM', seen, vid)
        if index >= 0 and lease < 0 then call('HSET', sess, vid, int(index) .. ' ' .. int(math.max(0, x - 1)) .. ' 0 ' .. -- a pass does not tell its grant's entry time
           int(h.rt + hard)) end
      end
    end
  end
end
return finish('OK')
