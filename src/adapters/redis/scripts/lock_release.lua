-- Gives a lock back as Redisson's RLock does on the wire; the last exit wakes those who wait.
-- KEYS: the lock, its channel
-- ARGV: lease in ms for what remains entered, holder
-- Returns 1 freed, 0 still entered, nil not ours.
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
