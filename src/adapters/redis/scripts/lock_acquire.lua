-- Acquires a lock in the wire format of Redisson's RLock, with a fencing number.
-- KEYS: the lock (a hash: holder -> how many times the holder has acquired it), its fence (a number that only
-- grows).
-- ARGV: lease in ms, holder.
-- Returns {1, fence} when acquired; {0, remaining lease in ms} when another holder has the lock.
local lock, fence = KEYS[1], KEYS[2]
local lease, holder = ARGV[1], ARGV[2]
if redis.call('EXISTS', lock) == 1 and redis.call('HEXISTS', lock, holder) == 0 then
  return {0, redis.call('PTTL', lock)}
end
redis.call('HINCRBY', lock, holder, 1)
redis.call('PEXPIRE', lock, lease)
local number = redis.call('INCR', fence)
if number == 1 then
  -- A new, expired or lost fence starts at the server's time in ms. Earlier fences are lower, because a lock
  -- is acquired less than once per ms.
  local time = redis.call('TIME')
  number = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('SET', fence, string.format('%.0f', number))
end
redis.call('EXPIRE', fence, 86400)
return {1, number}
