-- The seed's view of a fan of `main`, for readers. KEYS: places, tokens, queue:waiting, queue:active, queue:user:<user>, queue:token:<token>.
-- ARGV: user, token, how long both live (ms). Follows the truth: a place that has ended meanwhile is not shown.
local call = redis.call
local bytes = call('HGET', KEYS[1], ARGV[1])
if not bytes then return 0 end
local number, order, seen, entered_at, tenths, flags = struct.unpack('<I4I4ddI2B', bytes)
call('HSET', KEYS[2], ARGV[1], ARGV[2])
call('SET', KEYS[5], ARGV[2], 'PX', ARGV[3])
call('SET', KEYS[6], ARGV[1], 'PX', ARGV[3])
if flags % 2 == 1 then
  call('ZREM', KEYS[3], ARGV[2])
  call('SADD', KEYS[4], ARGV[2])
else
  call('ZADD', KEYS[3], order, ARGV[2])
end
return 1
