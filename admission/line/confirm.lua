-- What became of pick-ups: 5.. (vid, index, 1 logged | 0 not logged)*. Logged is spent; not logged costs nothing.
local stop = enter(true)
if stop then return stop end
for i = 5, #ARGV, 3 do
  if ARGV[i + 2] == '1' then
    call('SETBIT', spent, ARGV[i + 1], 1)
    call('HDEL', unc, ARGV[i])
  elseif call('HGET', unc, ARGV[i]) == edge .. ' ' .. ARGV[i + 1] then
    call('HDEL', unc, ARGV[i])
  end
end
return finish('OK')
