-- Gives arrival indexes. Known visitors and known identities get the index they have; the others the next ones, in
-- the order of the arguments. 6.. (vid, account or '')*. Per visitor: vid, index; index -1: come again, the ceiling is
-- reached, or this edge may not yet log whose place it is.
local stop = enter('fenced')
if stop then return stop end
if h.closed == 1 then return finish('CLOSED') end
local results = {}
local next = h.next
for i = 6, #ARGV, 2 do
  local vid, account = ARGV[i], ARGV[i + 1]
  if account ~= '' then
    local first = call('HGET', ident, account)
    local at = first and call('ZSCORE', line, first)
    -- A place that was used is history: the account joins anew. While its session lives, it is that one.
    if first and not (at and call('GETBIT', spent, int(tonumber(at))) == 1 and not call('ZSCORE', inside, first)) then vid = first end
  end
  local index = call('ZSCORE', line, vid)
  if index then
    index = tonumber(index)
  elseif next >= h.ceil or account ~= '' and not may_log() then
    index = -1
  else
    index = next
    next = next + 1
    call('ZADD', line, int(index), vid)
    if account ~= '' then call('HSET', ident, account, vid) end
    -- Behind a safety net a join counts when its ticket has come back once.
    if h.phase == 'open' and index >= h.n and h.net == 0 then call('SETBIT', here0, int(index), 1) end
  end
  results[#results + 1] = {vid, int(index)}
end
set('next', next)
return finish('OK', results)
