-- Takes a row that should not be there from its boards. KEYS: state, details, then boards and their exact twins. ARGV: id, then for each board
-- member and exact order.
local call = redis.call
call('HDEL', KEYS[2], ARGV[1])
for i = 3, #KEYS, 2 do
  call('ZREM', KEYS[i], ARGV[i - 1])
  call('ZREM', KEYS[i + 1], ARGV[i])
end
return call('HINCRBY', KEYS[1], 'changes', 1)
