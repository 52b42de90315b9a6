-- Takes the public value that the entropy source named, once, after the freeze. 5 value.
local stop = enter('log')
if stop then return stop end
if h.phase ~= 'drawing' or h.entropy_source == 'none' then return finish('EARLY') end
if h.entropy == '' then
  set('entropy', ARGV[6])
  next_list()
  set('draw_reg', h.reg)
end
if h.entropy ~= ARGV[6] then return finish('GIVEN') end
return finish('OK')
