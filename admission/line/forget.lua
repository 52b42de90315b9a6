-- Takes an edge off the registry that will not come back, and with it what is held for its visitors. 6 name.
local stop = enter('merge')
if stop then return stop end
if ARGV[6] == edge then return finish('OTHER') end
if h.merging == 0 and is_member(ARGV[6]) then strike(ARGV[6]) end
back(ARGV[6])
activate()
return finish('OK')
