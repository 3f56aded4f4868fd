-- Deletes boards of pruned windows.
-- KEYS: state, windows, then boards.
-- ARGV: the first day that is not pruned, then the windows' names.
-- Returns {number of boards that existed, number of their rows}.
local call = redis.call
local boards, rows = 0, 0
if tonumber(ARGV[1]) > tonumber(call('HGET', KEYS[1], 'pruned_before') or 0) then
  call('HSET', KEYS[1], 'pruned_before', ARGV[1])
end
for i = 3, #KEYS do
  local size = call('ZCARD', KEYS[i])
  if size > 0 then boards, rows = boards + 1, rows + size end
  call('DEL', KEYS[i])
  call('ZREM', KEYS[2], ARGV[i - 1])
  call('HDEL', KEYS[1], 'built:' .. ARGV[i - 1])
end
call('HINCRBY', KEYS[1], 'changes', 1)
return {boards, rows}
