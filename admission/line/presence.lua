-- Heartbeats by place, for moving X only. 6.. (offset in bytes, block of the edge's bitmap)*. Two bitmaps, rotated every 75 s
-- of room time; present = in either. The blocks come together beside here0 first, since a range can only be overwritten.
local stop = enter('fenced')
if stop then return stop end
if h.rt - h.here_at >= 75000000 then
  if call('EXISTS', here0) == 1 then call('RENAME', here0, here1) else call('DEL', here1) end
  set('here_at', h.rt)
end
if #ARGV >= 6 then
  local new = here0 .. ':new'
  for i = 6, #ARGV, 2 do call('SETRANGE', new, ARGV[i], ARGV[i + 1]) end
  call('BITOP', 'OR', here0, here0, new)
  call('DEL', new)
end
return finish('OK')
