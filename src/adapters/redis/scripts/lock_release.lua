-- Releases a lock in the wire format of Redisson's RLock; the last release wakes the waiting clients.
-- KEYS: the lock, its channel.
-- ARGV: lease in ms for a lock that the holder keeps, holder.
-- Returns 1: the lock is free; 0: the holder acquired the lock several times and keeps it; nil: the holder
-- does not have the lock.
local lock, channel = KEYS[1], KEYS[2]
local lease, holder = ARGV[1], ARGV[2]
if redis.call('HEXISTS', lock, holder) == 0 then
  return nil
end
if redis.call('HINCRBY', lock, holder, -1) > 0 then
  redis.call('PEXPIRE', lock, lease)
  return 0
end
redis.call('DEL', lock)
redis.call('PUBLISH', channel, '0')
return 1
