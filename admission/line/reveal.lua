-- Opens the doors after the draw. 5 root, 6 entropy, 7 secret, 8 seed: the caller computed the seed from exactly these
-- and has n, root and entropy in its log. Everybody counts as present for one window: places are new to all.
local stop = enter('log')
if stop then return stop end
if h.phase == 'open' and h.seed == ARGV[9] then return finish('OK') end
if h.phase ~= 'drawing' or h.root ~= ARGV[6] or h.root == '' or h.entropy ~= ARGV[7] then return finish('EARLY') end
-- Every edge has n, root and entropy on disk first: a reveal that a loss undoes must come out the same again.
local everywhere = true
each_member(function(name)
  local e = member(name)
  if not e or e.acked < h.draw_reg then everywhere = false end
end)
if not everywhere then return finish('EARLY') end
set('secret', ARGV[8])
set('seed', ARGV[9])
set('phase', 'open')
set('all_until', h.rt + 75000000)
call('DEL', here0, here1)
emit('draw', nil, nil, nil, int(h.n), h.seed, h.root)
emit_room('drawn')
return finish('OK')
