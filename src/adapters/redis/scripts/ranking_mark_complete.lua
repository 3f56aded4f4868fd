-- The boards were made. KEYS: state. ARGV: the run id of the Redis when they were begun, pruned before, the run id of the one that runs this. Returns 1,
-- or 0 where another has taken over meanwhile.
if ARGV[1] ~= ARGV[3] then return 0 end
redis.call('HSET', KEYS[1], 'complete', '1', 'pruned_before', ARGV[2])
return 1
