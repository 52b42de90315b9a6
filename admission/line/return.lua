-- Tells a store that lost them of tickets given earlier. 6.. (vid, index, account or '')*. Never takes a place away:
-- NX, and an index once seen is never given again. A place that was used is still its account's.
local stop = enter('merge')
if stop then return stop end
local next = h.next
for i = 6, #ARGV, 3 do
  local vid, index, account = ARGV[i], tonumber(ARGV[i + 1]), ARGV[i + 2]
  if call('GETBIT', spent, int(index)) == 0 then
    if index >= next then next = index + 1 end
    if index >= h.ceil then set('ceil', index + 1) end
    call('ZADD', line, 'NX', int(index), vid)
  end
  if account ~= '' then own(account, vid, index) end
end
set('next', next)
return finish('OK')
