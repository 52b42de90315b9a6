-- Publishes the root of the frozen list, once. 5 n, 6 root (hex). Status ROOT: another one is published already.
local stop = enter('log')
if stop then return stop end
if h.phase ~= 'drawing' or int(h.n) ~= ARGV[6] then return finish('EARLY') end
if h.root == '' then
  set('root', ARGV[7])
  next_list()
  set('draw_reg', h.reg)
end
if h.root ~= ARGV[7] then
  set('reason', 'draw_conflict') -- a list that differs between edges: nobody enters by either
  emit_room('draw_conflict')
  return finish('ROOT')
end
return finish('OK')
