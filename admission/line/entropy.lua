-- Takes the public value that the entropy source named, once, after the freeze. 5 value.
local stop = enter(true)
if stop then return stop end
if h.phase ~= 'drawing' or h.entropy_source == 'none' then return finish('EARLY') end
if h.entropy == '' then set('entropy', ARGV[5]) end
if h.entropy ~= ARGV[5] then return finish('GIVEN') end
return finish('OK')
