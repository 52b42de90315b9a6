-- Takes an edge off the registry that will not come back, and with it what is held for its visitors. 6 name.
local stop = enter('merge')
if stop then return stop end
if h.merging > 0 then return finish('MERGING') end -- what its log knows may be all that is known: resume says what to do without it
if ARGV[6] == edge then return finish('OTHER') end
local held = string.find(' ' .. h.cut, ' ' .. ARGV[6] .. ':', 1, true) ~= nil
if not held and not is_member(ARGV[6]) then return finish('EARLY') end
if is_member(ARGV[6]) then strike(ARGV[6]) end
if held then back(ARGV[6]) end
activate()
emit_room('forgot')
return finish('OK')
