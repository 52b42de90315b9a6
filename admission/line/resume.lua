-- An operator's word that the room goes on as it is: without an edge that does not report, without any checkpoint, or after
-- a conflict that was looked into. 6 next index to give (nothing below it is given), 7 least X, 8 epoch.
local stop = enter('merge')
if stop then return stop end
if int(h.epoch) ~= ARGV[8] then return finish('OTHER') end
if h.merging == 0 and h.reason == '' then return finish('OK') end
if tonumber(ARGV[6]) > h.ceil then set('ceil', tonumber(ARGV[6])) end
if tonumber(ARGV[7]) > h.x then set('x', tonumber(ARGV[7])) end
set('reason', '')
if h.merging > 0 then merged() end
emit_room('resumed')
return finish('OK')
