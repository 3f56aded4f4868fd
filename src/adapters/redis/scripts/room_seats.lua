-- Sets whether the concert of the room has an AVAILABLE seat. KEYS: room. ARGV: '1' or '0'. A missing room is
-- not created. An equal value is not written: nodes repeat it every two seconds.
local was = redis.call('HGET', KEYS[1], 'has_seats')
if was == ARGV[1] then return 0 end
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSET', KEYS[1], 'has_seats', ARGV[1]) end
return 0
