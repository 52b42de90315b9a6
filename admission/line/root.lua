-- Publishes the root of the frozen list, once. 5 n, 6 root (hex). Status ROOT: another one is published already.
local stop = enter(true)
if stop then return stop end
if h.phase ~= 'drawing' or int(h.n) ~= ARGV[5] then return finish('EARLY') end
if h.root == '' then set('root', ARGV[6]) end
if h.root ~= ARGV[6] then return finish('ROOT') end
return finish('OK')
