-- What became of pick-ups: 6.. (vid, index, 1 logged | 0 not logged, term of the pick-up)*. Logged is spent; not
-- logged costs nothing.
local stop = enter('fenced')
if stop then return stop end
for i = 6, #ARGV, 4 do
  if ARGV[i + 2] == '1' then
    spend(ARGV[i + 1], tonumber(ARGV[i + 3]))
    call('HDEL', unc, ARGV[i])
  elseif call('HGET', unc, ARGV[i]) == edge .. ' ' .. ARGV[i + 1] then
    call('HDEL', unc, ARGV[i])
  end
end
return finish('OK')
