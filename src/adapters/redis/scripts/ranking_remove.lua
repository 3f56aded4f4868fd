-- Removes a row from its boards.
-- KEYS: state, details, then for each window its board and its exact set.
-- ARGV: id, then for each board: member, exact order.
local call = redis.call
call('HDEL', KEYS[2], ARGV[1])
for i = 3, #KEYS, 2 do
  call('ZREM', KEYS[i], ARGV[i - 1])
  call('ZREM', KEYS[i + 1], ARGV[i])
end
return call('HINCRBY', KEYS[1], 'changes', 1)
