-- Raises the ceiling below which indexes may be given. 6 ceil: on disk at the caller before it comes here; 0 only asks
-- whether the caller may.
local stop = enter('log')
if stop then return stop end
if tonumber(ARGV[6]) > h.ceil then set('ceil', tonumber(ARGV[6])) end
return finish('OK')
